// SPDX-License-Identifier: Apache-2.0
// The identity of the file behind a name. While a file is open, its name may be given to another file: code that
// writes, reads or commits by a name first checks that it is still the same file. Local.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/error.hpp"

namespace weir {

struct FileIdentity {
  std::uint64_t device = 0;  // 0: not to be compared
  std::uint64_t inode = 0;   // 0: not known

  // As ranks of so many hosts may compare it: hosts may number devices differently.
  FileIdentity among(int hosts) const noexcept { return {hosts > 1 ? 0 : device, inode}; }
};

// Of an open file. Not known where this system gives a file another number each time it is asked for by name.
FileIdentity identity_of(int descriptor, const std::string& path);

// Of the file that the name stands for now; not known where there is none.
FileIdentity identity_of(const std::string& path);

// Why `path` is not, or not certainly, this file any more, as the beginning of a sentence; nullopt where it is.
std::optional<std::string> other_file_problem(const std::string& path, const FileIdentity& identity);
// The same of a file that was just opened by that name.
std::optional<std::string> other_file_problem(int descriptor, const std::string& path, const FileIdentity& identity);

// What comes of that trouble: to the rank that reads, to the rank that writes, and to the rank that commits to a file
// or to a folder
// (`what`).
Error refuse_to_read(const std::string& problem);
Status refuse_to_write(const std::string& problem);
Status refuse_to_commit(const std::string& problem, const char* what);
// To the rank that reads on, both of what was opened by that name before and of what has it now: throws.
void require_same(int descriptor, const std::string& path, const FileIdentity& identity);
// To the rank that writes on; ok where there is no trouble.
Status check_same(const std::string& path, const FileIdentity& identity);

}  // namespace weir
