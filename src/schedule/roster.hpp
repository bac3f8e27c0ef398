// SPDX-License-Identifier: Apache-2.0
// The ranks as the scheduler knows them: rankings by a key (Ranking), and which tile buffers are free (Roster).
// schedule/choose.hpp uses them. Pure, Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "plan/machine.hpp"

namespace weir {

// The key of a rank that is not ranked.
inline constexpr std::int64_t unranked = std::numeric_limits<std::int64_t>::min();

// Players by a key, and the best of them: O(log players) to change a key, O(1) to find the best key.
class Tournament {
 public:
  explicit Tournament(std::size_t players);

  void set(std::size_t player, std::int64_t key) noexcept;
  std::int64_t key(std::size_t player) const noexcept { return key_[leaves_ + player]; }
  std::int64_t best_key() const noexcept { return key_[1]; }
  // The player with the best key; any player if none is ranked.
  std::size_t best() const noexcept;

 private:
  std::size_t leaves_;             // a power of two
  std::vector<std::int64_t> key_;  // [1]: root; [leaves_ + i]: player i; a node has its children's larger key
};

// Ranks by a key, and the rank with the largest key on any node that is not hidden: a tournament among the ranks of
// each node, and one among the nodes' winners. O(log ranks) to change a key, to hide a node and to find the best.
// Allocates in the constructor only. Keys are unique.
class Ranking {
 public:
  // `machine` outlives the ranking. No rank is ranked at first.
  explicit Ranking(const Machine& machine);

  // Sets a rank's key; `unranked` removes it.
  void set(int rank, std::int64_t key) noexcept;
  void hide(std::size_t host) noexcept;
  void show(std::size_t host) noexcept;
  std::int64_t best_key() const noexcept { return hosts_.best_key(); }
  int best() const noexcept;  // -1: no rank is ranked

 private:
  const Machine* machine_;
  std::vector<std::size_t> index_in_host_;
  std::vector<Tournament> ranks_;  // one for each host
  std::vector<bool> hidden_;
  Tournament hosts_;
};

// Which tile buffers of each rank are free, which ranks are in use in the scheduler's group of units, and which unit
// each has reached. A rank is *able* if it has room and is not in use. All methods are O(1) in the number of ranks,
// except the constructor; none allocates once every rank has been in use.
class Roster {
 public:
  // `machine` outlives the roster.
  Roster(const Machine& machine, int tiles_per_rank);

  int ranks() const noexcept { return machine_->ranks(); }
  int hosts() const noexcept { return machine_->hosts(); }
  std::int64_t tile_buffers() const noexcept { return std::int64_t{ranks()} * tiles_per_rank_; }
  std::size_t host(int rank) const noexcept { return static_cast<std::size_t>(machine_->host_of[index(rank)]); }
  const Machine& machine() const noexcept { return *machine_; }

  bool has_room(int rank) const noexcept { return free_[index(rank)] > 0; }
  bool in_use(int rank) const noexcept { return used_in_[index(rank)] == group_; }
  bool able(int rank) const noexcept { return has_room(rank) && !in_use(rank); }
  bool holds(int rank, std::int64_t unit) const noexcept { return count_held(rank, unit) > 0; }
  int count_held(int rank, std::int64_t unit) const noexcept;
  // Tiles that `rank` holds, of all units.
  int count_held(int rank) const noexcept { return tiles_per_rank_ - free_[index(rank)]; }
  std::int64_t unit_in(int rank, int tile_buffer) const noexcept {
    return unit_in_[tile_buffer_index(rank, tile_buffer)];
  }  // -1: it is free
  int able_ranks() const noexcept { return able_; }
  std::int64_t free_tile_buffers() const noexcept { return free_tile_buffers_; }
  bool anyone_in_use() const noexcept { return !in_use_.empty(); }

  // The tile buffer that `rank` would take: the one that it freed last.
  // Requires: `rank` has room.
  int next_tile_buffer(int rank) const noexcept { return stack_[tile_buffer_index(rank, free_[index(rank)] - 1)]; }
  // When that tile buffer was freed; larger is later. Negative if it was never used. Sorting by it, largest first,
  // takes one rank of each node in turn, then the next rank of each; once it has taken all ranks, their next tile
  // buffers.
  std::int64_t freed_at(int rank) const noexcept { return freed_at_[tile_buffer_index(rank, next_tile_buffer(rank))]; }
  // The number of `rank` if ranks are counted from all hosts in turn.
  std::int64_t round_robin_index(int rank) const noexcept { return round_robin_index_[index(rank)]; }

  // Puts a tile of `unit` into the next tile buffer of `rank`, which is in use from then on.
  // Requires: `rank` has room.
  int take(int rank, std::int64_t unit);
  void give_back(int rank, int tile_buffer);
  // Ends the use of all ranks. Returns those that were in use, in the order in which they came into use; valid until
  // the next call.
  std::span<const int> begin_group();

  // The last unit that `rank` has offered; -1: none.
  std::int64_t reached(int rank) const noexcept { return reached_[index(rank)]; }
  void reach(int rank, std::int64_t unit) noexcept { reached_[index(rank)] = unit; }

  // Returns the fewest slots that a node must be allowed so that the nodes have `slots` ranks to give.
  int node_limit(int slots) const noexcept;

 private:
  static std::size_t index(int rank) noexcept { return static_cast<std::size_t>(rank); }
  std::size_t tile_buffer_index(int rank, int tile_buffer) const noexcept {
    return index(rank) * static_cast<std::size_t>(tiles_per_rank_) + static_cast<std::size_t>(tile_buffer);
  }

  const Machine* machine_;
  int tiles_per_rank_;
  std::int64_t group_ = 0;
  int able_;
  std::int64_t free_tile_buffers_;
  std::int64_t clock_ = 0;
  std::vector<int> free_;                        // by rank: number of free tile buffers
  std::vector<int> stack_;                       // by rank: its free tile buffers, the next one last
  std::vector<std::int64_t> unit_in_;            // by tile buffer; -1: free
  std::vector<std::int64_t> freed_at_;           // by tile buffer
  std::vector<std::int64_t> used_in_;            // by rank: the group
  std::vector<std::int64_t> reached_;            // by rank
  std::vector<std::int64_t> round_robin_index_;  // by rank
  std::vector<int> in_use_, were_in_use_;
  std::vector<int> ranks_within_;  // [n]: ranks of the machine if each node counts at most n
};

}  // namespace weir
