// SPDX-License-Identifier: Apache-2.0
// The ranks whose tile memory this rank can access: its own, and, where memory is shared, that of its host's ranks.
// Pure, Local.
#pragma once

#include <vector>

#include "plan/machine.hpp"

namespace weir {

class Reach {
 public:
  Reach(const Machine& machine, int rank, bool shared) : machine_(machine), rank_(rank), shared_(shared) {
    numbers_.resize(static_cast<std::size_t>(machine.ranks()));
    for (const std::vector<int>& ranks : machine.ranks_of)
      for (std::size_t k = 0; k < ranks.size(); ++k) numbers_[static_cast<std::size_t>(ranks[k])] = static_cast<int>(k);
  }

  bool of(int rank) const noexcept { return machine_.reaches(rank_, rank, shared_); }
  bool shared() const noexcept { return shared_; }
  // Whether this rank can access the tile memory of every rank.
  bool everybody() const noexcept { return machine_.all_reach(shared_); }
  int rank() const noexcept { return rank_; }
  // A rank's number within its host.
  int number(int rank) const noexcept { return numbers_[static_cast<std::size_t>(rank)]; }

 private:
  const Machine& machine_;
  int rank_;
  bool shared_;
  std::vector<int> numbers_;
};

}  // namespace weir
