// SPDX-License-Identifier: Apache-2.0
// What memory makes of plans: in how many rounds they are made, and how many rounds of a read are done at a time. A run
// (engine/kept_plans.hpp, engine/collective_read.hpp) and the simulator go by it. Pure, Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plan/roles.hpp"
#include "schedule/memory_budget.hpp"

namespace weir {

// Divides a read into cycles: rounds, in the order in which they are needed, as many at a time as memory holds. Calls
// add(number of the round, where its tile lies in the place of every owner) for each of them, and end(what the cycle
// needs) whenever a cycle is full, and at the end. `budget`: nothing is reserved in it.
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

// Of the rounds of a plan, on the neediest rank: `plan` has reserves, a round each, and element_bytes.
template <class Plan>
std::vector<Need> needs_of(const Plan& plan, std::int64_t first_byte = 0) {
  std::vector<Need> needs;
  for (const Reserve& most : plan.reserves) needs.push_back(need_of(most, plan.element_bytes, first_byte));
  return needs;
}

// In as many rounds as it takes to fit: `plan()` makes a plan as `request` asks. Throws Error(WEIR_EMEMORY) where not
// even one element fits, or one granule.
template <class MakePlan>
auto plan_within(const MemoryBudget& budget, PlanRequest& request, MakePlan plan) {
  for (;;) {
    auto made = plan();
    const int rounds = more_rounds(request.rounds, needs_of(made), budget, request);
    if (rounds == 0) return made;
    request.rounds = rounds;
  }
}

// Whether owners are planning ranks of slots that any rank may hold.
inline bool has_open_slots(const Config& config, const PlanRequest& request) noexcept {
  return config.strategy == StrategyKind::dynamic && !request.read;
}

struct ReadPlanning {
  const Roles& roles;
  const Config& config;
  const Machine& machine;
  const MemoryBudget& budget;
};

// Of what is to be read: `plan(request, strategy)` makes a plan as the request asks, `sums_of(plan)` says what all
// ranks would read by it. Chunks that are too large for a tile are cut: they are then unpacked more than once.
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
