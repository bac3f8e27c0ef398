// SPDX-License-Identifier: Apache-2.0
// Which node each rank of a simulated job is on: neighbouring ranks share one, and what the configuration takes for a
// host of it. Pure, Local.
#pragma once

#include <algorithm>
#include <vector>

#include "base/config.hpp"

namespace weir::simulate {

struct Dealt {
  std::vector<int> node_of, leader_of;
};

inline Dealt deal(int ranks, int a_node, const Config& config) {
  const int a_host = config.ranks_per_host > 0 ? std::min(config.ranks_per_host, a_node) : a_node;
  Dealt dealt;
  for (int rank = 0; rank < ranks; ++rank) {
    const int node = rank / a_node;
    dealt.node_of.push_back(node);
    dealt.leader_of.push_back(node * a_node + rank % a_node / a_host * a_host);
  }
  return dealt;
}

}  // namespace weir::simulate
