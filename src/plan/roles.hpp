// SPDX-License-Identifier: Apache-2.0
// The roles of the ranks: the strategy, and the ranks that own tiles, for writing and for reading. Also the rules that
// decide which ranks read (docs/decisions/045-who-reads.md). The same on all ranks; for runs and for the simulator.
// Pure, Local.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/config.hpp"
#include "plan/machine.hpp"
#include "plan/plan.hpp"
#include "plan/planner.hpp"
#include "plan/strategy.hpp"

namespace weir {

// The roles under one configuration; if that changes, new roles are made.
class Roles {
 public:
  // Both outlive this.
  Roles(const Config& config, const Machine& machine);

  const Strategy& strategy() const noexcept { return *strategy_; }
  const std::vector<int>& writers() const noexcept { return writers_; }
  // Returns the writers of a variable with this granule. They are all ranks, host by host, in two cases:
  //  - the strategy is by group, and the granule forbids that for this variable;
  //  - the variable is packed, the strategy lets all ranks compress, and `writers` is not set.
  const std::vector<int>& writers_of(const Granule& granule) const noexcept;
  // Returns the hosts whose ranks may pack chunks, ascending: all, unless the strategy or `writers` names the ranks.
  std::vector<int> packing_hosts(const Machine& machine) const;
  // The strategy that cuts tiles for reading: the writing one if it cuts by range, else remap.
  const Strategy& reading_strategy() const noexcept { return strategy_->by_group() ? *by_range_ : *strategy_; }
  // The strategy by which one rank of each host reads what its ranks need.
  const Strategy& host_strategy() const noexcept { return *by_host_; }
  // Returns the readers of a variable with this granule: all ranks, if unpacking takes longer than reading, and neither
  // the strategy nor the configuration says which ranks do it.
  const std::vector<int>& readers_of(const Granule& granule) const noexcept;
  // Return the owners of a variable with this granule, for a put or a read, and the strategy that cuts it. Valid as
  // long as this.
  Owners owners(const Granule& granule, bool read) const noexcept;
  Owning owning(const Granule& granule, bool read) const noexcept;

 private:
  const Config* config_;
  int hosts_;
  std::unique_ptr<Strategy> strategy_;
  std::vector<int> writers_;
  std::vector<int> all_ranks_;
  std::unique_ptr<Strategy> by_range_;  // for reading, if the writing strategy does not cut by range
  std::vector<int> readers_;            // with by_range_
  std::unique_ptr<Strategy> by_host_;
};

// Whether each rank may read for itself: all ranks find the file in the page cache of one host, and the configuration
// lets them use it. `shared_memory`: ranks of a host access each other's memory.
bool may_read_each_for_itself(const Config& config, const Machine& machine, bool shared_memory) noexcept;

// Whether one rank of each host may read what the host's ranks need: there are several hosts, the configuration does
// not name readers, and a host's ranks can access its tile.
bool may_be_read_by_host(const PlanRequest& request, const Roles& roles, const Config& config, int hosts) noexcept;

// What all ranks together would read by a plan, or one of them.
struct ReadSums {
  std::int64_t elements = 0, stretches = 0;

  // Adds one rank's part of a round.
  void add(const TilePlan& tile) noexcept {
    for (const Stretch& stretch : tile.stretches) elements += stretch.count;
    stretches += std::ssize(tile.stretches);
  }
};
// Whether reading by host pays: hosts need little in common, so that almost nothing leaves storage twice, and each
// needs large pieces; or each needs one small piece, such as an axis that all ranks need, for which a message to each
// rank would cost more than a request of each host.
bool is_read_well_by_host(const ReadSums& sums, const PlanRequest& request) noexcept;

// Returns a plan to read a variable: by host if that is possible and pays, else by range. `plan_by(strategy)` plans as
// `request` asks, in as many rounds as memory needs; `sums_of(plan)` returns what all ranks would read by it.
template <class PlanBy, class SumsOf>
auto plan_to_read(PlanRequest& request, bool by_host, const Roles& roles, PlanBy plan_by, SumsOf sums_of) {
  if (by_host) {
    auto plan = plan_by(roles.host_strategy());
    if (is_read_well_by_host(sums_of(plan), request)) return plan;
    request.rounds = 1;
  }
  return plan_by(roles.reading_strategy());
}

}  // namespace weir
