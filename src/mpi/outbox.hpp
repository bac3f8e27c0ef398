// SPDX-License-Identifier: Apache-2.0
// Words that a rank sends without waiting, and who has come to the end. One thread at a time.
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

// Messages of words that a rank sends without waiting for their receivers: a rank that is stopped or gone does not
// block a sender. Messages of a pair of ranks arrive in order. One thread at a time.

class Outbox {
 public:
  // `comm` outlives it.
  Outbox(const Comm& comm, int tag);
  Outbox(Outbox&&) = default;
  Outbox& operator=(Outbox&&) = default;
  // What no rank has taken by then stays in memory for as long as the process lives.
  ~Outbox();

  // Keeps the words until they are taken. Allocates nothing where no more are under way than were before. Local.
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

// Tracks which ranks have announced their end, for the rank that serves them until all have. A model may run for weeks,
// but its ranks finalize in one call: once the first has, the last is waited for no longer than in any other call.
// Local.

class FinalizeTracker {
 public:
  FinalizeTracker(int ranks, double timeout_seconds)
      : timeout_seconds_(timeout_seconds), left_(static_cast<std::size_t>(ranks), false) {}

  void leave(int rank) {
    if (!end_) end_.emplace(timeout_seconds_);
    left_[static_cast<std::size_t>(rank)] = true;
  }
  bool all() const { return std::find(left_.begin(), left_.end(), false) == left_.end(); }
  // Some rank has left, and another one has not for too long.
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
