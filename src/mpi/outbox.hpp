// SPDX-License-Identifier: Apache-2.0
// Words that a rank sends without waiting for the receiver (Outbox), and which ranks have announced their end
// (FinalizeTracker). Used by the scheduler's messages, liveness checks and servers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "mpi/comm.hpp"

namespace weir {

// A rank that is stopped or gone does not block a sender. Messages of a pair of ranks arrive in order.
// Thread: one at a time; calls MPI.
class Outbox {
 public:
  // `comm` outlives this.
  Outbox(const Comm& comm, int tag);
  Outbox(Outbox&&) = default;
  Outbox& operator=(Outbox&&) = default;
  // Leaks the words that were not received by now, since MPI may still read them.
  ~Outbox();

  // Sends words, and keeps a copy until they are received. Allocates nothing unless more messages are under way than
  // before.
  // Local.
  void send(std::span<const std::int64_t> words, int to);

 private:
  struct Words {
    std::vector<std::int64_t> words;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  void drop_taken();

  const Comm* comm_;
  int tag_;
  std::list<Words> under_way_, spare_;
};

// Tracks which ranks have announced their end, for the rank that serves them. A model may run for weeks, but its ranks
// finalize in one call: once the first has, the last is waited for no longer than in any other call. Local, no MPI.
class FinalizeTracker {
 public:
  FinalizeTracker(int ranks, double timeout_seconds)
      : timeout_seconds_(timeout_seconds), left_(static_cast<std::size_t>(ranks), false) {}

  void leave(int rank) {
    if (!end_) end_.emplace(timeout_seconds_);
    left_[static_cast<std::size_t>(rank)] = true;
  }
  bool all() const { return std::find(left_.begin(), left_.end(), false) == left_.end(); }
  // Whether some rank has left, and another has not within the timeout.
  bool overdue() const { return end_ && end_->passed() && !all(); }
  std::vector<int> missing() const {
    std::vector<int> ranks;
    for (std::size_t rank = 0; rank < left_.size(); ++rank)
      if (!left_[rank]) ranks.push_back(static_cast<int>(rank));
    return ranks;
  }

 private:
  double timeout_seconds_;
  std::vector<bool> left_;       // by rank
  std::optional<Deadline> end_;  // once the first has left
};

}  // namespace weir
