// SPDX-License-Identifier: Apache-2.0
// The steps of a collective read, cycle after cycle: while one cycle is handed out the next one is read. One text for a
// run (read/collective_read.cpp) and for a simulated one (simulate/reading.cpp). Pure.
//
// What it asks of `rank`, whose cycles are numbered from 0 and take the two places of tile memory in turn:
//   begin_reading(c)  begins to read what this rank owns of the cycle, where that is anything, and comes back
//   end_reading()     what was begun last is read
//   agree_at(c) all ranks have read the cycle, and taken what they want of the one before it; throws what any of
//                     them has found wrong, alike on all
//   hand_out(c)       each rank gets what it wants of the cycle
#pragma once

#include <cstddef>

namespace weir {

template <class Rank>
void read_in_cycles(Rank& rank, std::size_t cycles) {
  if (cycles > 0) rank.begin_reading(0);
  for (std::size_t c = 0; c < cycles; ++c) {
    rank.end_reading();
    rank.agree_at(c);
    if (c + 1 < cycles) rank.begin_reading(c + 1);
    rank.hand_out(c);
  }
}

}  // namespace weir
