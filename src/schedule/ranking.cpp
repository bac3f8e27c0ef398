// SPDX-License-Identifier: Apache-2.0
#include "schedule/ranking.hpp"

#include <algorithm>
#include <bit>

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

}  // namespace weir
