// SPDX-License-Identifier: Apache-2.0
// The value of the key `files`: rules for files by their names. Local.
#pragma once

#include <string>
#include <vector>

#include "base/config.hpp"

namespace weir {

// Throws Error(WEIR_ECONFIG) with a sentence on the rule that is impossible.
std::vector<FileRule> parse_rules(const ConfigValue& value);
// All of them: equal texts are equal rules.
std::string show_rules(const std::vector<FileRule>& rules);

}  // namespace weir
