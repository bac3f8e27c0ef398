// SPDX-License-Identifier: Apache-2.0
#include "plan/machine.hpp"

#include <algorithm>
#include <map>

namespace weir {

Machine Machine::from_leaders(const std::vector<int>& leader_of) {
  Machine machine;
  std::map<int, int> host_of_leader;
  for (int rank = 0; rank < static_cast<int>(leader_of.size()); ++rank) {
    const auto found = host_of_leader.emplace(leader_of[static_cast<std::size_t>(rank)], machine.hosts()).first;
    if (found->second == machine.hosts()) machine.ranks_of.emplace_back();
    machine.host_of.push_back(found->second);
    machine.ranks_of[static_cast<std::size_t>(found->second)].push_back(rank);
  }
  return machine;
}

std::vector<int> choose_writers(const Machine& machine, int count, int per_host) {
  const int wanted = std::min(machine.ranks(), count > 0 ? count : per_host * machine.hosts());
  std::vector<int> share(static_cast<std::size_t>(machine.hosts()), 0);
  for (int dealt = 0; dealt < wanted;) {
    const int before = dealt;
    for (std::size_t host = 0; host < share.size() && dealt < wanted; ++host)
      if (share[host] < static_cast<int>(machine.ranks_of[host].size()) && (count > 0 || share[host] < per_host)) {
        ++share[host];
        ++dealt;
      }
    if (dealt == before) break;
  }
  std::vector<int> writers;
  for (std::size_t host = 0; host < share.size(); ++host)
    for (int k = 0; k < share[host]; ++k) {
      const auto& ranks = machine.ranks_of[host];
      writers.push_back(ranks[static_cast<std::size_t>(k) * ranks.size() / static_cast<std::size_t>(share[host])]);
    }
  return writers;
}

}  // namespace weir
