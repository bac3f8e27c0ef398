// SPDX-License-Identifier: Apache-2.0
#include "schedule/roster.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

namespace weir {

Roster::Roster(const Machine& machine, int tiles_per_rank)
    : machine_(&machine), tiles_per_rank_(tiles_per_rank), able_(machine.ranks()), free_tile_buffers_(tile_buffers()) {
  const auto count = static_cast<std::size_t>(ranks());
  const auto all_places = static_cast<std::size_t>(tile_buffers());
  free_.assign(count, tiles_per_rank);
  stack_.resize(all_places);
  unit_in_.assign(all_places, -1);
  freed_at_.resize(all_places);
  used_in_.assign(count, -1);
  reached_.assign(count, -1);
  round_robin_index_.resize(count);

  std::size_t largest = 0;
  for (const auto& neighbours : machine.ranks_of) largest = std::max(largest, neighbours.size());
  ranks_within_.assign(largest + 1, 0);
  for (int node = 0; node < hosts(); ++node) {
    const auto& neighbours = machine.ranks_of[static_cast<std::size_t>(node)];
    for (std::size_t i = 0; i < neighbours.size(); ++i)
      round_robin_index_[index(neighbours[i])] = static_cast<std::int64_t>(i) * hosts() + node;
    for (std::size_t n = 1; n <= largest; ++n) ranks_within_[n] += static_cast<int>(std::min(n, neighbours.size()));
  }
  const std::int64_t round = static_cast<std::int64_t>(largest) * hosts();
  for (int rank = 0; rank < ranks(); ++rank)
    for (int tile_buffer = 0; tile_buffer < tiles_per_rank; ++tile_buffer) {
      stack_[tile_buffer_index(rank, tile_buffer)] = tiles_per_rank - 1 - tile_buffer;
      freed_at_[tile_buffer_index(rank, tile_buffer)] = -1 - (tile_buffer * round + round_robin_index(rank));
    }
}

int Roster::count_held(int rank, std::int64_t unit) const noexcept {
  const auto first = unit_in_.begin() + static_cast<std::ptrdiff_t>(tile_buffer_index(rank, 0));
  return static_cast<int>(std::count(first, first + tiles_per_rank_, unit));
}

int Roster::take(int rank, std::int64_t unit) {
  assert(has_room(rank));
  if (able(rank)) --able_;
  const int tile_buffer = next_tile_buffer(rank);
  unit_in_[tile_buffer_index(rank, tile_buffer)] = unit;
  --free_[index(rank)];
  --free_tile_buffers_;
  if (!in_use(rank)) {
    used_in_[index(rank)] = cycle_;
    in_use_.push_back(rank);
  }
  return tile_buffer;
}

void Roster::give_back(int rank, int tile_buffer) {
  if (!has_room(rank) && !in_use(rank)) ++able_;
  unit_in_[tile_buffer_index(rank, tile_buffer)] = -1;
  freed_at_[tile_buffer_index(rank, tile_buffer)] = ++clock_;
  stack_[tile_buffer_index(rank, free_[index(rank)])] = tile_buffer;
  ++free_[index(rank)];
  ++free_tile_buffers_;
}

std::span<const int> Roster::begin_cycle() {
  ++cycle_;
  were_in_use_.clear();
  in_use_.swap(were_in_use_);
  able_ += static_cast<int>(std::ranges::count_if(were_in_use_, [&](int rank) { return has_room(rank); }));
  return were_in_use_;
}

int Roster::node_limit(int slots) const noexcept {
  if (slots > ranks()) return std::numeric_limits<int>::max();
  return static_cast<int>(std::ranges::lower_bound(ranks_within_, slots) - ranks_within_.begin());
}

}  // namespace weir
