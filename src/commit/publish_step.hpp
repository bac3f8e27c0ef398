// SPDX-License-Identifier: Apache-2.0
// One step of a commit that makes a file's new state visible: a new file gets its name, or an existing file gets the
// bytes that count its records. A step can be repeated, so that a record of steps can complete an interrupted commit
// (commit/group_record.hpp). Local.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "base/error.hpp"

namespace weir {

// Identifies a file, even if the file system has given its number to another file since.
struct FileMark {
  std::int64_t inode = 0;         // 0: there is no file
  std::int64_t born_seconds = 0;  // time of creation; 0 if the file system does not know it
  std::int64_t born_nanoseconds = 0;

  bool any() const noexcept { return inode != 0; }
  bool operator==(const FileMark&) const = default;
};

// Returns the mark of an open file, or of a name; a symbolic link is not followed.
FileMark mark_of(int descriptor);
FileMark mark_of(const std::string& path);

// Bytes of a file before and after. `before` is shorter if the file ended there.
struct Edit {
  std::int64_t offset;
  std::vector<std::byte> before, after;
};
void fields(auto& archive, Either<Edit> auto& edit) {
  archive(edit.offset, edit.before, edit.after);
}

// Requires: all data that a step publishes are on stable storage.
struct PublishStep {
  std::string path;          // the name for readers: absolute, no symbolic link
  std::string written_path;  // the name under which it was written; the same as `path` if it was published before
  FileMark file;
  FileMark replaced;         // of a new file: the file that had its name
  std::int64_t length = -1;  // of the file afterwards; -1: as it is
  std::vector<Edit> edits;
  bool ends_undo_log = false;  // of a file that went back to fewer records: it stays so

  bool renames() const noexcept { return path != written_path; }
};
void fields(auto& archive, Either<PublishStep> auto& step) {
  archive(step.path, step.written_path, step.file, step.replaced, step.length, step.edits, step.ends_undo_log);
}

// The result of a step.
enum class Published {
  done,
  gone,  // the file is not there, is another one, or another program has changed it: it was not touched
};

// Does the step; a step that was done before is done again. `owner`: of the files that may be touched; nullopt: any.
// Errors: WEIR_EIO if the step cannot be done.
Published carry_out(const PublishStep& step, std::optional<uid_t> owner = std::nullopt);
// Brings what the step has done to stable storage.
Status complete_step(const PublishStep& step);

}  // namespace weir
