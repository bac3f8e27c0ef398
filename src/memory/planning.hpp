// SPDX-License-Identifier: Apache-2.0
// Makes plans that fit every rank's memory: in as many rounds as needed, and, for reading, with the best readers
// (plan/reading_way.hpp). A run (pipeline/kept_plans.hpp) and the simulator plan by it. Pure.
#pragma once

#include <vector>

#include "memory/memory_budget.hpp"
#include "plan/reading_way.hpp"

namespace weir {

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
