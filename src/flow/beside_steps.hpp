// SPDX-License-Identifier: Apache-2.0
// How the task beside the model does pending writes: in their order, each as soon as it may, one at a time, until it is
// to end. Written once: the writer thread of a run (run/writer_thread.hpp) and that of a simulated rank
// (simulate/rank_world.cpp) are two kinds of BesideSteps. Pure, as Beside is.
#pragma once

#include <vector>

#include "flow/world.hpp"

namespace weir {

// Pending writes that wait, oldest first. Where several threads know it, a lock is theirs to hold.
class WaitingWrites {
 public:
  void add(PendingWrite& pending) { waiting_.push_back(&pending); }
  void drop() noexcept { waiting_.clear(); }
  // nullptr: none waits.
  PendingWrite* oldest() const noexcept { return waiting_.empty() ? nullptr : waiting_.front(); }
  // It waits no more: it is to be written. False where it was dropped.
  bool take(const PendingWrite& pending) noexcept {
    if (oldest() != &pending) return false;
    waiting_.erase(waiting_.begin());
    return true;
  }
  // It is written.
  void end(PendingWrite& pending, const Beside::Work& work) const {
    pending.done = true;
    work.done(oldest());
  }

 private:
  std::vector<PendingWrite*> waiting_;
};

// What the task asks of those that wait.
class BesideSteps {
 public:
  virtual ~BesideSteps() = default;
  // The oldest, once there is one; nullptr: the task is to end.
  virtual Task<PendingWrite*> next() = 0;
  // Until something may have changed that the pending write waits for.
  virtual Task<> sleep(const PendingWrite& pending) = 0;
  // Takes it. False where it was dropped meanwhile.
  virtual bool begin(PendingWrite& pending) = 0;
  // Ends it, and tells those who wait for it.
  virtual void end(PendingWrite& pending) = 0;
};

// One step: writes the oldest, or waits. False where the task is to end.
Task<bool> write_next(BesideSteps& steps, const Beside::Work& work);

}  // namespace weir
