// SPDX-License-Identifier: Apache-2.0
// What is done about a journal (change_journal.hpp) on a file system without locks, where nobody can know whether the
// run that made it lives: Lustre mounted without `flock`, some network file systems. Local.
#pragma once

#include <string>

namespace weir {

enum class WithoutLocks {
  refuse,    // throws Error(WEIR_EIO), which says what to do
  take_back  // believes who asks: the run has ended
};

// take_back_commit() and commit_was_cut_short() of change_journal.hpp, which refuse there. Error(WEIR_EIO) is thrown,
// too, where the journal cannot be read, or a commit that was cut short be taken back.
bool take_back_commit(const std::string& path, WithoutLocks without_locks);
bool commit_was_cut_short(const std::string& path, WithoutLocks without_locks);

}  // namespace weir
