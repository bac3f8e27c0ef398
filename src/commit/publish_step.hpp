// SPDX-License-Identifier: Apache-2.0
// One step of a commit that makes a file's new state visible, and that can be repeated: a new file gets its name, an
// existing one gets the bytes that count its contents. A commit of several files is a list of such steps
// (commit/group_record.hpp); a format whose metadata are several files gives a step for each. All data that a step
// publishes is on stable storage before. Local.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "commit/checked_words.hpp"

namespace weir {

// Which file it is, also where the system has given its number to another one since.
struct FileMark {
  std::int64_t inode = 0;         // 0: there is none
  std::int64_t born_seconds = 0;  // when it was made; 0 where the file system does not know
  std::int64_t born_nanoseconds = 0;

  bool any() const noexcept { return inode != 0; }
  bool operator==(const FileMark&) const = default;
};

FileMark mark_of(int descriptor);
// Of what has the name itself, be it a link.
FileMark mark_of(const std::string& path);

// Bytes of a file as they were before and as they are to be. What lay beyond the former end was nothing.
struct Edit {
  std::int64_t offset;
  std::vector<std::byte> before, after;
};

struct PublishStep {
  std::string path;          // by which readers know it: absolute, no symbolic link
  std::string written_path;  // by which it was written; the same as `path` where it was published before
  FileMark file;
  FileMark replaced;         // of a new file: what had its name
  std::int64_t length = -1;  // that the file is to have; -1: as it is
  std::vector<Edit> edits;

  bool renames() const noexcept { return path != written_path; }
  void add_to(CheckedWords& words) const;
  static PublishStep read(CheckedReader& words);
};

enum class Published {
  done,
  gone,  // the file is not there, is another one, or another program has changed it: nothing was touched
};

// owner: whose files may be touched; nullopt: anybody's. Throws Error(WEIR_EIO) where the step cannot be done.
Published carry_out(const PublishStep& step, std::optional<uid_t> owner = std::nullopt);
// Brings what it has done to stable storage.
Status complete_step(const PublishStep& step);

}  // namespace weir
