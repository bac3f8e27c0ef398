// SPDX-License-Identifier: Apache-2.0
// Where the ranks of a simulated job are: neighbouring ranks share a node, and what the configuration takes for a host
// of it. Pure, Local.
#pragma once

#include <cstdint>
#include <vector>

#include "base/config.hpp"
#include "plan/machine.hpp"
#include "simulate/profile.hpp"
#include "simulate/workload.hpp"

namespace weir::simulate {

// So many neighbouring ranks share a node, of a job's `ranks`. asked: 0: as many as the profile has cores.
int ranks_of_node(const Profile& profile, int ranks, int asked);
// How many nodes a job takes then.
inline int nodes_for(int ranks, int ranks_per_node) noexcept {
  return (ranks - 1) / ranks_per_node + 1;
}

struct RankPlacement {
  int ranks_per_node;
  std::vector<int> node_of;
  Machine machine;     // the model's ranks, and after them those that the strategy takes for itself to write
  bool shared_memory;  // ranks of a host reach each other's

  int nodes() const noexcept { return node_of.back() + 1; }
};

// Settles the configuration. ranks_per_node: 0: as many as the profile has cores. Throws Error(WEIR_ECONFIG) where it
// is impossible, or leaves the strategy to the run.
RankPlacement place_ranks(const Profile& profile, const Workload& work, Config& config, int ranks_per_node);
// Throws Error where the machine has too few nodes, or a node too little memory for ranks that each hold so many bytes.
void check_fit(const Profile& profile, const RankPlacement& placement, std::int64_t bytes_of_rank);

}  // namespace weir::simulate
