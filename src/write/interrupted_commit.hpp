// SPDX-License-Identifier: Apache-2.0
// Handles a journal (undo_log.hpp) on a file system without locks, where no run can know whether the run that made it
// still exists: Lustre mounted without `flock`, some network file systems. Local.
#pragma once

#include <string>

namespace weir {

enum class IfLocksMissing {
  refuse,    // throws Error(WEIR_EIO), which says what to do
  roll_back  // believes who asks: the run has ended
};

// roll_back_commit() and has_interrupted_commit() of undo_log.hpp, which refuse there. Error(WEIR_EIO) is thrown,
// too, where the journal cannot be read, or a commit that was interrupted be rolled back.
bool roll_back_commit(const std::string& path, IfLocksMissing if_locks_missing);
bool has_interrupted_commit(const std::string& path, IfLocksMissing if_locks_missing);

}  // namespace weir
