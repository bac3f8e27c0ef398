// SPDX-License-Identifier: Apache-2.0
// Writes pending writes in the background (overlap: background): in their order, each as soon as it may be written, one
// at a time, until it is to end. What it does next is written here, once; how it waits is its kind's: a thread of a run
// (engine/background_threads.hpp), or a fiber of a simulated rank (simulate/rank_world.cpp). Pure.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "flow/cycle.hpp"

namespace weir {

class BackgroundWriter {
 public:
  // What the flow says of a pending write. Called in the background.
  struct Work {
    std::function<bool(const PendingWrite&)> ready;  // may it be written now?
    std::function<void(PendingWrite&)> write;        // waits for a turn, writes; gives up where stopping() says so
    std::function<void(const PendingWrite*)> done;   // a pending write is done; the oldest that waits, or nullptr
  };

  explicit BackgroundWriter(Work work) : work_(std::move(work)) {}
  virtual ~BackgroundWriter() = default;

  // The pending write lives until it is done, or dropped.
  virtual void add(PendingWrite& pending) = 0;
  // Something has changed that a pending write may wait for.
  virtual void notify() = 0;
  // Until the pending write is done. Throws Error(WEIR_ETIMEOUT).
  virtual void await(const PendingWrite& pending) = 0;
  // Forgets the pending writes that wait; the one being written is finished first.
  virtual void drop() = 0;
  // Runs `change` while nothing is written.
  virtual void pause(const std::function<void()>& change) = 0;
  // It is to end, whatever waits. Any thread.
  virtual bool stopping() const noexcept = 0;

 protected:
  // In the background: writes the oldest, or sleeps. False where it is to end.
  bool write_next();

  // Of the list of those that wait; several threads know it: its kind's lock is held.
  void enqueue(PendingWrite& pending) { waiting_.push_back(&pending); }
  void drop_waiting() noexcept { waiting_.clear(); }
  PendingWrite* oldest() const noexcept { return waiting_.empty() ? nullptr : waiting_.front(); }
  // It waits no more: it is to be written. False where it was dropped.
  bool take(const PendingWrite& pending) noexcept;
  // It is written.
  void finish(PendingWrite& pending) const;

 private:
  // The oldest, once there is one; nullptr: the writer is to end.
  virtual PendingWrite* next() = 0;
  // Until something may have changed that the pending write waits for.
  virtual void sleep(const PendingWrite& pending) = 0;
  // Takes it. False where it was dropped meanwhile.
  virtual bool begin(PendingWrite& pending) = 0;
  // Finishes it, and wakes those who wait for it.
  virtual void end(PendingWrite& pending) = 0;

  Work work_;
  std::vector<PendingWrite*> waiting_;  // oldest first
};

}  // namespace weir
