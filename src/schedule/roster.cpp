// SPDX-License-Identifier: Apache-2.0
#include "schedule/roster.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>

namespace weir {

Tournament::Tournament(std::size_t players)
    : leaves_(std::bit_ceil(std::max<std::size_t>(players, 1))), key_(2 * leaves_, unranked) {}

void Tournament::set(std::size_t player, std::int64_t key) noexcept {
  std::size_t node = leaves_ + player;
  key_[node] = key;
  for (node /= 2; node > 0; node /= 2) {
    const std::int64_t better = std::max(key_[2 * node], key_[2 * node + 1]);
    if (key_[node] == better) return;
    key_[node] = better;
  }
}

std::size_t Tournament::best() const noexcept {
  std::size_t node = 1;
  while (node < leaves_) node = 2 * node + (key_[2 * node] == key_[node] ? 0 : 1);
  return node - leaves_;
}

Ranking::Ranking(const Machine& machine)
    : machine_(&machine),
      index_in_host_(static_cast<std::size_t>(machine.ranks())),
      hidden_(static_cast<std::size_t>(machine.hosts()), false),
      hosts_(static_cast<std::size_t>(machine.hosts())) {
  ranks_.reserve(machine.ranks_of.size());
  for (const auto& neighbours : machine.ranks_of) {
    ranks_.emplace_back(neighbours.size());
    for (std::size_t i = 0; i < neighbours.size(); ++i) index_in_host_[static_cast<std::size_t>(neighbours[i])] = i;
  }
}

void Ranking::set(int rank, std::int64_t key) noexcept {
  const auto host = static_cast<std::size_t>(machine_->host_of[static_cast<std::size_t>(rank)]);
  const std::size_t player = index_in_host_[static_cast<std::size_t>(rank)];
  if (ranks_[host].key(player) == key) return;
  ranks_[host].set(player, key);
  if (!hidden_[host]) show(host);
}

void Ranking::hide(std::size_t host) noexcept {
  hidden_[host] = true;
  hosts_.set(host, unranked);
}

void Ranking::show(std::size_t host) noexcept {
  hidden_[host] = false;
  if (hosts_.key(host) != ranks_[host].best_key()) hosts_.set(host, ranks_[host].best_key());
}

int Ranking::best() const noexcept {
  if (best_key() == unranked) return -1;
  const std::size_t host = hosts_.best();
  return machine_->ranks_of[host][ranks_[host].best()];
}

Roster::Roster(const Machine& machine, int tiles_per_rank)
    : machine_(&machine), tiles_per_rank_(tiles_per_rank), able_(machine.ranks()), free_tile_buffers_(tile_buffers()) {
  const auto count = static_cast<std::size_t>(ranks());
  const auto all_tile_buffers = static_cast<std::size_t>(tile_buffers());
  free_.assign(count, tiles_per_rank);
  stack_.resize(all_tile_buffers);
  unit_in_.assign(all_tile_buffers, -1);
  freed_at_.resize(all_tile_buffers);
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
    used_in_[index(rank)] = group_;
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

std::span<const int> Roster::begin_group() {
  ++group_;
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
