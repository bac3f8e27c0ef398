// SPDX-License-Identifier: Apache-2.0
// Ranks by a key, and the one with the largest key on any node that is not hidden: a tournament among the ranks of each
// node, and one among the nodes' winners. O(log ranks) to change a key, to hide a node and to find the best; allocates
// in the constructor only. Keys are unique. Pure, Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "plan/machine.hpp"

namespace weir {

inline constexpr std::int64_t unranked = std::numeric_limits<std::int64_t>::min();

class Tournament {
 public:
  explicit Tournament(std::size_t players);

  void set(std::size_t player, std::int64_t key) noexcept;
  std::int64_t key(std::size_t player) const noexcept { return key_[leaves_ + player]; }
  std::int64_t best_key() const noexcept { return key_[1]; }
  // The player with the best key; any, where none is ranked.
  std::size_t best() const noexcept;

 private:
  std::size_t leaves_;             // a power of two
  std::vector<std::int64_t> key_;  // [1] the root, [leaves_ + i] player i; a node has the larger key of its two below
};

class Ranking {
 public:
  // `machine` must outlive the ranking. No rank is ranked.
  explicit Ranking(const Machine& machine);

  void set(int rank, std::int64_t key) noexcept;  // `unranked` takes it out
  void hide(std::size_t host) noexcept;
  void show(std::size_t host) noexcept;
  std::int64_t best_key() const noexcept { return hosts_.best_key(); }
  int best() const noexcept;  // -1: no rank

 private:
  const Machine* machine_;
  std::vector<std::size_t> index_in_host_;
  std::vector<Tournament> ranks_;  // one a host
  std::vector<bool> hidden_;
  Tournament hosts_;
};

}  // namespace weir
