// SPDX-License-Identifier: Apache-2.0
// Why a path cannot be written, in words that say what to do. Local; changes nothing.
#pragma once

#include <string>

namespace weir {

// "/data" of "/data/history.nc", "." of "history.nc".
std::string directory_of(const std::string& path);

// The sentence for errno `error` of trying to `what` (create, write) the file `path`.
std::string write_trouble(const std::string& path, const char* what, int error);

}  // namespace weir
