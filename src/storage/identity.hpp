// SPDX-License-Identifier: Apache-2.0
// The identity of the file behind a name. While a file is open, its name may be given to another file; code that
// writes, reads or commits by name first checks that it is the same file. Local.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/error.hpp"

namespace weir {

struct FileIdentity {
  std::uint64_t device = 0;  // 0: not compared
  std::uint64_t inode = 0;   // 0: not known

  // Returns the identity as ranks of `hosts` hosts compare it: hosts may number devices differently.
  FileIdentity among(int hosts) const noexcept { return {hosts > 1 ? 0 : device, inode}; }
};

// Returns the identity of an open file, or of the file that has the name now. Not known if there is no file, or if the
// file system gives a file another number each time.
FileIdentity identity_of(int descriptor, const std::string& path);

FileIdentity identity_of(const std::string& path);

// Return, as the beginning of a sentence, why `path`, or the file just opened by that name, is not certainly this file;
// nullopt if it is.
std::optional<std::string> other_file_problem(const std::string& path, const FileIdentity& identity);
std::optional<std::string> other_file_problem(int descriptor, const std::string& path, const FileIdentity& identity);

// Return the error that follows for a rank that reads, writes, or commits to a file or folder (`what`).
Error refuse_to_read(const std::string& problem);
Status refuse_to_write(const std::string& problem);
Status refuse_to_commit(const std::string& problem, const char* what);
// Throws Error(WEIR_EIO) if the file opened by this name, or the file that has it now, is not this one.
void require_same(int descriptor, const std::string& path, const FileIdentity& identity);
// Returns WEIR_EIO if the file that has this name now is not this one.
Status check_same(const std::string& path, const FileIdentity& identity);

}  // namespace weir
