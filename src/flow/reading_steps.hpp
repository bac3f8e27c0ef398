// SPDX-License-Identifier: Apache-2.0
// How all ranks read what they want, cycle after cycle: while one is handed out the next one is read. Written once: a
// run (read/collective_read.hpp) and its simulation (simulate/reading.cpp) are two worlds of it. Pure.
#pragma once

#include <cstddef>

#include "base/task.hpp"

namespace weir {

// Cycles are numbered from 0 and take the two places of tile memory in turn.
class ReadWorld {
 public:
  virtual ~ReadWorld() = default;
  // This rank begins to read what it owns of the cycle, where that is anything, and goes on.
  virtual void begin_reading(std::size_t cycle) = 0;
  // What was begun last is read; what is wrong with it is kept for the meeting.
  virtual Task<> end_reading() = 0;
  // All ranks have read the cycle, and taken what they want of the one before it. Throws what any of them brings.
  virtual Task<> meet(std::size_t cycle) = 0;
  // Each rank gets what it wants of the cycle.
  virtual Task<> hand_out(std::size_t cycle) = 0;
};

Task<> read_in_cycles(ReadWorld& world, std::size_t cycles);

}  // namespace weir
