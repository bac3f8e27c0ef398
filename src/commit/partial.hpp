// SPDX-License-Identifier: Apache-2.0
// The temporary file: a new file before its first commit, under a name of its own next to the final name. formats/
// creates it, commit/publish_step.hpp renames it. Local.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace weir {

// Returns "/data/.history.nc.weir" for "/data/history.nc": a symbolic link to the temporary file, by which the next run
// finds it after a kill.
std::string partial_name(const std::string& path);

// Returns "/data/.history.nc.0123abcd.weir": the name of a temporary file.
std::string partial_name(const std::string& path, std::uint32_t token);

// Creates a temporary file by `make`, and the link to it; returns its name. The name is new each time: a host that
// caches names might otherwise open the file that had it before. `make` returns 0 or an errno.
// Errors: WEIR_EIO for an errno other than EEXIST.
std::string make_partial(const std::string& path, const std::function<int(const std::string&)>& make);

// Removes the link of `path` and what it leads to, if that has the name of a temporary file of `path`; a folder with
// all its contents.
void remove_leftover(const std::string& path) noexcept;

}  // namespace weir
