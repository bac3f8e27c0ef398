// SPDX-License-Identifier: Apache-2.0
// The roles of the ranks: the strategy, and the ranks that own its tiles, for writing and for reading. Alike on all
// ranks. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/config.hpp"
#include "plan/machine.hpp"
#include "plan/plan.hpp"
#include "plan/plan_key.hpp"
#include "plan/strategy.hpp"

namespace weir {

class Roles {
 public:
  // As the configuration says now; where that changes, new roles are made of it. Both outlive this.
  Roles(const Config& config, const Machine& machine);

  const Strategy& strategy() const noexcept { return *strategy_; }
  const std::vector<int>& writers() const noexcept { return writers_; }
  // Of a variable with this granule. All ranks, host by host, where the strategy goes by group and the variable cannot,
  // and where compressing takes longer than writing and the configuration does not say how many are to do it.
  const std::vector<int>& writers_of(const Granule& granule) const noexcept;
  // By which tiles are read: the strategy that writes, where it cuts a variable by range, else remap.
  const Strategy& reading_strategy() const noexcept { return strategy_->by_group() ? *by_range_ : *strategy_; }
  // By which a host's ranks have one of them read what they want (plan/roles.hpp).
  const Strategy& host_strategy() const noexcept { return *by_host_; }
  // Of a variable with this granule: all ranks where unpacking takes longer than reading, and neither the strategy nor
  // the configuration says who is to do it.
  const std::vector<int>& readers_of(const Granule& granule) const noexcept;
  // The owners of a variable with this granule that is put, or is read, and by whom it is cut. Hold while this does.
  Owners owners(const Granule& granule, bool read) const noexcept;
  Owning owning(const Granule& granule, bool read) const noexcept;

 private:
  const Config* config_;
  int hosts_;
  std::unique_ptr<Strategy> strategy_;
  std::vector<int> writers_;
  std::vector<int> all_ranks_;
  std::unique_ptr<Strategy> by_range_;  // reads where the strategy that writes cuts nothing by range
  std::vector<int> readers_;            // then
  std::unique_ptr<Strategy> by_host_;
};

// The rules that decide which ranks read the data of a collective get (docs/decisions/045-who-reads.md), for a run and
// for the simulator. The same on all ranks. Pure, Local.

// Whether each rank may read for itself: all have the file in the page cache of one host, and that is to be used.
// shared_memory: ranks of a host reach each other's.
bool may_read_each_for_itself(const Config& config, const Machine& machine, bool shared_memory) noexcept;

// Whether one rank of each host may read what its ranks want: there are several hosts, the configuration does not say
// who reads, and a host's ranks reach its tile.
bool may_be_read_by_host(const PlanRequest& request, const Roles& roles, const Config& config, int hosts) noexcept;

// What all ranks together would read by a plan, or one of them.
struct ReadSums {
  std::int64_t elements = 0, stretches = 0;

  // One rank's part of a round.
  void add(const Round& round) noexcept {
    for (const Stretch& stretch : round.stretches) elements += stretch.count;
    stretches += std::ssize(round.stretches);
  }
};
// Whether hosts want little in common, so that next to nothing leaves storage twice, and each wants it in large pieces;
// or each wants one small piece, as an axis that all ranks want: a message to each rank would cost more than a request
// of each host.
bool is_read_well_by_host(const ReadSums& sums, const PlanRequest& request) noexcept;

// Plans by which a variable is read: by host where that may be and is worth it, else by range. `plan_by(strategy)`
// plans as `request` asks, in as many rounds as memory wants; `sums_of(plan)` says what all ranks would read by it.
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
