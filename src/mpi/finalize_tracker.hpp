// SPDX-License-Identifier: Apache-2.0
// Tracks which ranks have announced their end, for the rank that serves them until all have. A model may run for weeks,
// but its ranks finalize in one call: once the first has, the last is waited for no longer than in any other call.
// Local.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "base/clock.hpp"

namespace weir {

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
