// SPDX-License-Identifier: Apache-2.0
// The ranks and their hosts, as far as planning needs them, and whose memory a rank can access; for runs and for a
// simulated machine. Pure, Local.
#pragma once

#include <vector>

namespace weir {

struct Machine {
  std::vector<int> host_of;  // host of each rank; hosts are numbered from 0 in the order of their lowest rank
  std::vector<std::vector<int>> ranks_of;  // ranks of each host, ascending

  // Makes a machine. `leader_of[r]`: a label that ranks of one host share, such as the lowest rank there.
  static Machine from_leaders(const std::vector<int>& leader_of);

  int ranks() const noexcept { return static_cast<int>(host_of.size()); }
  int hosts() const noexcept { return static_cast<int>(ranks_of.size()); }
  bool same_host(int a, int b) const noexcept {
    return host_of[static_cast<std::size_t>(a)] == host_of[static_cast<std::size_t>(b)];
  }
  // Whether a rank can access another rank's tile memory; `shared`: ranks of a host share memory. all_reach(): every
  // rank every other's.
  bool reaches(int rank, int other, bool shared) const noexcept {
    return rank == other || (shared && same_host(rank, other));
  }
  bool all_reach(bool shared) const noexcept { return ranks() == 1 || in_one_memory(shared); }
  // Whether all ranks share one memory, so that no piece travels by message.
  bool in_one_memory(bool shared) const noexcept { return shared && hosts() == 1; }
  const std::vector<int>& neighbours(int rank) const noexcept {
    return ranks_of[static_cast<std::size_t>(host_of[static_cast<std::size_t>(rank)])];
  }
};

// Returns `count` writers (0: per_host on every host), evenly on the hosts and spread over each host's ranks; ordered
// by host, so that neighbouring tiles have writers on one host.
std::vector<int> choose_writers(const Machine& machine, int count, int per_host);

// The ranks whose tile memory a rank can access: its own and, where memory is shared, that of its host's ranks.
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
