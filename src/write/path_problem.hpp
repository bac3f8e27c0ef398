// SPDX-License-Identifier: Apache-2.0
// Finds out why a path cannot be written, in words that say what to do. Local; changes nothing.
#pragma once

#include <optional>
#include <string>

#include "base/error.hpp"

namespace weir {

// "/data" of "/data/history.nc", "." of "history.nc".
std::string directory_of(const std::string& path);

// What stands at `path` that a new file must not take the place of (directory, device, pipe), as a sentence; nullopt
// where there is a file or nothing.
std::optional<std::string> target_problem(const std::string& path);

// Why a new file or folder cannot take the name `path`, as a sentence: its last part is "." or "..", the folder is not
// there, is none, or takes no new names; or what has the name now may not be written. nullopt where nothing is known.
std::optional<std::string> name_problem(const std::string& path);

// Without the slashes at its end; "/" stays.
std::string without_last_slashes(const std::string& path);

// Why a file at `path` could not be written, as a sentence; nullopt where it could, so far as that shows without
// writing.
std::optional<std::string> writability_problem(const std::string& path);

// The errno of opening a file that exists for writing; 0 where that succeeds.
int error_of_opening(const std::string& path);

// errno `error` of a call that writes into an open file, and what to do about it.
std::string storage_reason(int error);
// A call of the system on this path has failed, and errno says why.
Status failed_call(const char* call, const std::string& path);

// The sentence for errno `error` of trying to `what` (create, write) the file `path`.
std::string write_error_message(const std::string& path, const char* what, int error);

}  // namespace weir
