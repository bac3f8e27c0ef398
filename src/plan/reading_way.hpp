// SPDX-License-Identifier: Apache-2.0
// The rules that decide which ranks read the data of a collective get (docs/decisions/045-who-reads.md), for a run and
// for the simulator. The same on all ranks. Pure, Local.
#pragma once

#include <cstdint>

#include "base/config.hpp"
#include "plan/machine.hpp"
#include "plan/plan.hpp"
#include "plan/roles.hpp"
#include "plan/strategy.hpp"

namespace weir {

// Whether each rank may read for itself: all have the file in the page cache of one host, and that is to be used.
// shared_memory: ranks of a host reach each other's.
bool may_read_each_for_itself(const Config& config, const Machine& machine, bool shared_memory) noexcept;

// Whether one rank of each host may read what its ranks want: there are several hosts, the configuration does not say who reads, and a
// host's ranks reach its tile.
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
