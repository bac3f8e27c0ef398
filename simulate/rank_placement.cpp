// SPDX-License-Identifier: Apache-2.0
#include "simulate/rank_placement.hpp"

#include <algorithm>

#include "base/host.hpp"
#include "base/text.hpp"
#include "simulate/profile_number.hpp"

namespace weir::simulate {

int ranks_of_node(const Profile& profile, int ranks, int asked) {
  return std::min(ranks, asked > 0 ? asked : profile.cores);
}

RankPlacement place_ranks(const Profile& profile, const Workload& work, Config& config, int ranks_per_node) {
  resolve_defaults(config);
  require(config.strategy != StrategyKind::automatic, WEIR_ECONFIG,
          "strategy: auto is decided in a run: name the strategies to simulate");
  const int ranks = work.ranks + serving_ranks(config);
  const int a_node = ranks_of_node(profile, ranks, ranks_per_node);
  RankPlacement placement{a_node, {}, {}, false};
  std::vector<int> leader_of;
  for (int rank = 0; rank < ranks; ++rank) {
    const int node = rank / a_node;
    placement.node_of.push_back(node);
    leader_of.push_back(node * a_node + host_part(rank % a_node, config.ranks_per_host));
  }
  placement.machine = Machine::from_leaders(leader_of);
  placement.shared_memory = shares_memory(config, static_cast<int>(placement.machine.ranks_of.front().size()), ranks);
  return placement;
}

void check_fit(const Profile& profile, const RankPlacement& placement, std::int64_t bytes_of_rank) {
  if (profile.nodes != 0 && placement.nodes() > profile.nodes)
    throw Error(WEIR_EARGUMENT, "the job wants {} nodes, and {} has {}: take fewer ranks, or more of them on a node",
                placement.nodes(), profile.name, profile.nodes);
  const auto bytes = static_cast<double>(bytes_of_rank * placement.ranks_per_node);
  const auto most = static_cast<double>(profile.memory);
  if (bytes > most)
    throw Error(WEIR_EMEMORY,
                "the job's buffers need {} on a node ({} ranks), and {} has {}: lower buffer_limit, or take fewer "
                "ranks on a node",
                show_number(bytes, Unit::bytes), placement.ranks_per_node, profile.name,
                show_number(most, Unit::bytes));
}

}  // namespace weir::simulate
