// SPDX-License-Identifier: Apache-2.0
// Weir's configuration as cfio2_init means it: its arguments and the paper's way of scheduling, unless the file that
// WEIR_CONFIG names, or the environment, has another value for a key. Local.
#pragma once

#include <string>

namespace weir::cfio2 {

// YAML text for weir_init, which lets the environment's single keys win. What cannot be read, or is no map of keys, is
// passed on for weir_init to refuse.
std::string configuration_text(int writers_per_host, int writers_per_variable);

// `lines` (each "key: value") before the entries of `yaml`, less those whose key it has.
std::string with_defaults(const std::string& yaml, const std::string& lines);

}  // namespace weir::cfio2
