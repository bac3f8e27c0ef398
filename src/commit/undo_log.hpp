// SPDX-License-Identifier: Apache-2.0
// The undo log of a commit that overwrites parts of a file under its final name. The old bytes go into a file next to
// it first; an interrupted commit is rolled back when Weir next opens the file, or by `weir-verify --clean` (contract
// 3). Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "base/config.hpp"
#include "base/descriptor.hpp"
#include "base/error.hpp"

namespace weir {

// What to do on a file system without locks (Lustre mounted without `flock`, some network file systems), where no
// program can know whether the run that wrote an undo log still runs.
enum class IfLocksMissing {
  refuse,    // throws Error(WEIR_EIO), which says what to do
  roll_back  // the caller knows that the run has ended
};

// As roll_back_commit() and has_interrupted_commit() below, which refuse.
bool roll_back_commit(const std::string& path, IfLocksMissing if_locks_missing);
bool has_interrupted_commit(const std::string& path, IfLocksMissing if_locks_missing);

// New bytes for a file.
struct Change {
  std::int64_t offset;
  std::vector<std::byte> bytes;
};
void fields(auto& archive, Either<Change> auto& change) {
  archive(change.offset, change.bytes);
}

// Returns the bytes that a change will overwrite in a file of this length; fewer if the change goes beyond the end.
std::vector<std::byte> bytes_there(const Descriptor& file, const Change& change, std::int64_t file_bytes);

// Returns "/data/.history.nc.journal.weir" for "/data/history.nc".
std::string undo_log_name(const std::string& path);

// The undo log of one commit, locked while it lives. After the constructor the caller overwrites the file, then calls
// remove(), or roll_back() if the commit has failed.
//
// A file that goes back to fewer records (docs/decisions/113-going-back.md) has its undo log from its opening to its
// first commit, and all bytes that it loses are in there.
class UndoLog {
 public:
  // Saves the bytes that `changes` will overwrite, and the file's length.
  // Requires: `file` is open for reading under the name `path`.
  // Ensures: the undo log is on stable storage, if `durability` says so.
  // Errors: WEIR_EIO; the file is unchanged.
  UndoLog(const std::string& path, const Descriptor& file, std::span<const Change> changes, Durability durability);
  // As above, and saves all bytes of the file from `tail` on, which are copied piece by piece. Does not wait.
  // Errors: also if another run holds an undo log of the file.
  UndoLog(const std::string& path, const Descriptor& file, std::span<const Change> changes, std::int64_t tail,
          Durability durability);
  // Removes the undo log: the commit is done.
  Status remove();
  // Restores the file, on stable storage, and removes the undo log.
  // Errors: returned; the next run that opens the file rolls the commit back.
  Status roll_back();

 private:
  void keep(const Descriptor& file, std::span<const Change> changes, std::optional<std::int64_t> tail);

  std::string path_, name_;
  Durability durability_;
  Descriptor undo_log_;  // held locked: a commit is under way
};

// Rolls back an interrupted commit of this file, and returns whether there was one. A commit that a running program is
// making is left alone.
// Ensures: the file is as before the commit, on stable storage, and the undo log is gone.
// Errors: WEIR_EIO if the file cannot be written, or the undo log cannot be read or removed.
bool roll_back_commit(const std::string& path);

// Returns whether there is an undo log that no running program has locked.
// Errors: WEIR_EIO as roll_back_commit().
bool has_interrupted_commit(const std::string& path);

}  // namespace weir
