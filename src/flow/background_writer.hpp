// SPDX-License-Identifier: Apache-2.0
// The background writer (`overlap: background`): writes pending writes in their order, one at a time, each once it may
// be written. What it does next is decided here. How it waits is left to a derived class: a thread of a run
// (engine/background_threads.hpp), or a fiber of a simulated rank (simulate/rank_world.cpp). Pure.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "flow/cycle.hpp"

namespace weir {

class BackgroundWriter {
 public:
  // What the flow does with a pending write, in the background.
  struct Work {
    std::function<bool(const PendingWrite&)> ready;  // whether it may be written now
    std::function<void(PendingWrite&)> write;        // waits for its turn and writes it; if stopping(), it may leave it
                                                     // unwritten, though it counts as done: the flow ends, and no call
                                                     // looks at it any more
    std::function<void(const PendingWrite* next)> done;  // one is done; `next`: the oldest that waits, or nullptr
  };

  explicit BackgroundWriter(Work work) : work_(std::move(work)) {}
  virtual ~BackgroundWriter() = default;

  // Adds a pending write.
  // Requires: it lives until it is done or dropped.
  virtual void add(PendingWrite& pending) = 0;
  // Looks again at whether the oldest pending write may be written.
  virtual void notify() = 0;
  // Waits until the pending write is done.
  // Errors: WEIR_ETIMEOUT.
  virtual void await(const PendingWrite& pending) = 0;
  // Drops the pending writes that wait. If one is being written, waits until it is done.
  virtual void drop() = 0;
  // Runs `change` while nothing is written.
  virtual void pause(const std::function<void()>& change) = 0;
  // Whether the writer is to end, even if pending writes wait.
  // Thread: any.
  virtual bool stopping() const noexcept = 0;

 protected:
  // Writes the oldest pending write, or sleeps. Returns false if the writer is to end.
  // Thread: the background.
  bool write_next();

  // The list of pending writes that wait.
  // Requires: the caller holds the derived class's lock.
  void enqueue(PendingWrite& pending) { waiting_.push_back(&pending); }
  void drop_waiting() noexcept { waiting_.clear(); }
  PendingWrite* oldest() const noexcept { return waiting_.empty() ? nullptr : waiting_.front(); }
  // Removes a pending write from the list to write it. Returns false if it was dropped.
  bool take(const PendingWrite& pending) noexcept;
  // Marks a pending write as done, and calls Work::done.
  void finish(PendingWrite& pending) const;

 private:
  // Waits for a pending write, and returns the oldest; nullptr if the writer is to end.
  virtual PendingWrite* next() = 0;
  // Sleeps until the pending write may have become ready.
  virtual void sleep(const PendingWrite& pending) = 0;
  // Takes the pending write; false if it was dropped meanwhile.
  virtual bool begin(PendingWrite& pending) = 0;
  // Finishes the pending write, and wakes await().
  virtual void end(PendingWrite& pending) = 0;

  Work work_;
  std::vector<PendingWrite*> waiting_;  // oldest first
};

}  // namespace weir
