// SPDX-License-Identifier: Apache-2.0
// How memory limits plans: in how many rounds a plan is made, and how many rounds of a read fit into a cycle. Used by
// engine/kept_plans.hpp, engine/collective_read.hpp and the simulator. Pure, Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plan/roles.hpp"
#include "schedule/memory_budget.hpp"

namespace weir {

// Divides a read into cycles, each of as many rounds as memory holds, in their order. Calls add(number of the round,
// offset of its tile in every owner's tile buffer) for each round, and end(what the cycle needs) after each cycle.
// Requires: nothing is reserved in `budget`.
template <class Add, class End>
void each_reading_cycle(const MemoryBudget& budget, std::span<const Need> rounds, Add add, End end) {
  MemoryBudget cycle = budget;
  bool open = false;
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    if (open && !cycle.fits(rounds[r])) {
      end(cycle.used());
      cycle = budget;
    }
    add(r, cycle.reserve(rounds[r], 0).tile);
    open = true;
  }
  if (open) end(cycle.used());
}

// Returns the needs of a plan's rounds, on the rank that needs most.
template <class Plan>
std::vector<Need> needs_of(const Plan& plan, std::int64_t first_byte = 0) {
  std::vector<Need> needs;
  for (const Reserve& most : plan.reserves) needs.push_back(need_of(most, plan.element_bytes, first_byte));
  return needs;
}

// Returns a plan in as many rounds as it takes to fit; `plan()` makes one as `request` asks, and `request.rounds`
// changes.
// Errors: WEIR_EMEMORY if not even one element, or one granule, fits.
template <class MakePlan>
auto plan_within(const MemoryBudget& budget, PlanRequest& request, MakePlan plan) {
  for (;;) {
    auto made = plan();
    const int rounds = more_rounds(request.rounds, needs_of(made), budget, request);
    if (rounds == 0) return made;
    request.rounds = rounds;
  }
}

// Whether owners are only planning ranks of slots that any rank may hold.
inline bool has_open_slots(const Config& config, const PlanRequest& request) noexcept {
  return config.strategy == StrategyKind::dynamic && !request.read;
}

// What planning a read needs.
struct ReadPlanning {
  const Roles& roles;
  const Config& config;
  const Machine& machine;
  const MemoryBudget& budget;
};

// Returns a plan to read; `plan(request, strategy)` makes a plan, `sums_of(plan)` returns what all ranks would read by
// it. Chunks that are too large for a tile are cut, and are then unpacked more than once.
template <class MakePlan, class SumsOf>
auto plan_reading(PlanRequest request, const ReadPlanning& by, MakePlan plan, SumsOf sums_of) {
  const auto plan_by = [&](const Strategy& strategy) {
    return plan_within(by.budget, request, [&] { return plan(request, strategy); });
  };
  const auto plan_it = [&] {
    const bool by_host = may_be_read_by_host(request, by.roles, by.config, by.machine.hosts());
    return plan_to_read(request, by_host, by.roles, plan_by, sums_of);
  };
  if (!request.granule.any()) return plan_it();
  try {
    return plan_it();
  } catch (const Error& error) {
    if (error.code() != WEIR_EMEMORY) throw;
  }
  request.granule = {};
  request.rounds = 1;
  return plan_by(by.roles.reading_strategy());
}

}  // namespace weir
