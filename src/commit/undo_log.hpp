// SPDX-License-Identifier: Apache-2.0
// The undo log of a commit that overwrites several parts of a file under its final name. The old bytes go into a
// journal next to the file first, so that an interrupted commit can be rolled back: when Weir next opens the file, or
// by `weir-verify --clean`. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/config.hpp"
#include "base/descriptor.hpp"
#include "base/error.hpp"

namespace weir {

// What to do with a journal on a file system without locks, where no run can know whether the run that made it still
// exists: Lustre mounted without `flock`, some network file systems.
enum class IfLocksMissing {
  refuse,    // throws Error(WEIR_EIO), which says what to do
  roll_back  // believes who asks: the run has ended
};

// roll_back_commit() and has_interrupted_commit() of undo_log.hpp, which refuse there. Error(WEIR_EIO) is thrown,
// too, where the journal cannot be read, or a commit that was interrupted be rolled back.
bool roll_back_commit(const std::string& path, IfLocksMissing if_locks_missing);
bool has_interrupted_commit(const std::string& path, IfLocksMissing if_locks_missing);

// Bytes of a file that are to be these.
struct Change {
  std::int64_t offset;
  std::vector<std::byte> bytes;
};

// What a change will write over in a file that is so long: fewer bytes where it goes beyond the end.
std::vector<std::byte> bytes_there(const Descriptor& file, const Change& change, std::int64_t file_bytes);

// "/data/.history.nc.journal.weir" for "/data/history.nc".
std::string undo_log_name(const std::string& path);

class UndoLog {
 public:
  // Keeps what `changes` will write over in `file`, which is open to read under the name `path`, and how long it is. It
  // is on stable storage then, if that is wanted. Throws Error(WEIR_EIO).
  UndoLog(const std::string& path, const Descriptor& file, std::span<const Change> changes, Durability durability);
  // The commit is through.
  Status remove();
  // It has failed: the file is as it was before, on stable storage, and the journal is gone; no other rank comes
  // between. Else the next run that opens the file does that.
  Status roll_back();

 private:
  std::string path_, name_;
  Durability durability_;
  Descriptor undo_log_;  // held locked: a commit is under way
};

// Whether a commit of this file was interrupted; then the file is as it was before, on stable storage, and the journal
// is gone. One that is under way now is left alone. Throws Error(WEIR_EIO) where the file cannot be written, or the
// journal be read or removed.
bool roll_back_commit(const std::string& path);

// Whether there is a journal that no rank holds.
bool has_interrupted_commit(const std::string& path);

}  // namespace weir
