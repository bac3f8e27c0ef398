// SPDX-License-Identifier: Apache-2.0
// Decides when cycles begin and end: each round of a put gets memory in the open cycle, which ends when its memory is
// used up, when it is as large as a unit may be, when a record is complete, or when a call waits for its data. A run
// (pipeline/cycles.hpp) and the simulator (simulate/script.hpp) are two kinds of `Cycles`. Pure.
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

#include "memory/memory_budget.hpp"

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

// All of a record is put: the model is likely to compute next, and where tiles are written in the background, those that are
// worth it are not kept back for more puts.
template <class Cycles>
void end_record_in_cycle(const Config& config, Cycles cycles) {
  const bool worth_it = cycles.memory().tile_bytes() >= config.bundle_bytes;
  if (config.overlap != OverlapKind::none && worth_it && !cycles.collective()) finish_cycle(cycles);
}

}  // namespace weir
