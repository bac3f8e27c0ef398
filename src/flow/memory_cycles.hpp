// SPDX-License-Identifier: Apache-2.0
// Decides when cycles begin and end: each round of a put gets memory in the open cycle, which ends when its memory is
// used up, when it is as large as a unit may be, when a record is complete, or when a call waits for its data. A run
// (engine/cycles.hpp) and the simulator (simulate/script.hpp) are two kinds of `Cycles`. Pure.
//
// What it asks of `cycles`, which is passed by value:
//   memory()        the budget, or what keeps it
//   open()          something is put in the cycle; number(): of it, or of the last one
//   begin()         the next cycle; its memory may be used
//   used_up()       told before a cycle is finished for want of memory
//   make_room(c)    after which messages of cycles up to c are sent
//   need(round)     what a round of the put needs on the neediest rank
//   put(round, at)  puts it there, in the open cycle
//   full()          whether the open cycle is not made larger
//   collective()    all ranks write the open cycle together; agree(): they meet on what is in it
//   hand_over()     its tiles go to their holders, and nothing is open any more
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plan/roles.hpp"
#include "schedule/memory_budget.hpp"

namespace weir {

// All ranks agree before they write together. Does nothing where none is open.
template <class Cycles>
void finish_cycle(Cycles cycles) {
  if (!cycles.open()) return;
  if (cycles.collective()) cycles.agree();
  cycles.hand_over();
  cycles.memory().close();
}

// Memory for a round of a put, in the open cycle or in a new one.
template <class Cycles>
Reservation reserve_in_cycle(const Need& need, Cycles cycles) {
  const auto finish = [&] {
    cycles.used_up();
    finish_cycle(cycles);
  };
  if (!cycles.memory().fits(need)) finish();
  if (!cycles.open()) cycles.begin();
  while (const std::uint32_t earlier = cycles.memory().in_the_way(need)) {
    if (earlier == cycles.number()) {
      finish();
      cycles.begin();
    }
    cycles.make_room(earlier);
  }
  return cycles.memory().reserve(need, cycles.number());
}

template <class Cycles>
void put_in_cycles(std::size_t rounds, Cycles cycles) {
  for (std::size_t round = 0; round < rounds; ++round) {
    cycles.put(round, reserve_in_cycle(cycles.need(round), cycles));
    if (cycles.full()) finish_cycle(cycles);
  }
}

// Whether all of a record is put: by every one of so many variables that has records. is_record(v), was_put(v): of that
// number. Models put them in order, so the last tells most.
template <class IsRecord, class WasPut>
bool record_is_complete(std::size_t variables, IsRecord is_record, WasPut was_put) {
  for (std::size_t v = variables; v-- > 0;)
    if (is_record(v) && !was_put(v)) return false;
  return true;
}

// All of a record is put: the model is likely to compute next, and where tiles are written in the background, those
// that are worth it are not kept back for more puts.
template <class Cycles>
void end_record_in_cycle(const Config& config, Cycles cycles) {
  const bool worth_it = cycles.memory().tile_bytes() >= config.bundle_bytes;
  if (config.overlap != OverlapKind::none && worth_it && !cycles.collective()) finish_cycle(cycles);
}

// Divides a read into cycles: rounds, in the order in which they are needed, as many at a time as memory holds. Pure,
// Local.

// Calls add(number of the round, where its tile lies in the place of every owner) for each of them, and
// end(what the cycle needs) whenever a cycle is full, and at the end. `budget`: nothing is reserved in it.
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

// Makes plans that fit every rank's memory: in as many rounds as needed, and, for reading, with the best readers
// (plan/roles.hpp). A run (engine/kept_plans.hpp) and the simulator plan by it. Pure.

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
