// SPDX-License-Identifier: Apache-2.0
// Divides a read into cycles: rounds, in the order in which they are needed, as many at a time as memory holds. Pure,
// Local.
#pragma once

#include <cstddef>
#include <span>

#include "memory/memory_budget.hpp"

namespace weir {

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

}  // namespace weir
