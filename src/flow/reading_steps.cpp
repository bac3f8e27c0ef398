// SPDX-License-Identifier: Apache-2.0
#include "flow/reading_steps.hpp"

namespace weir {

Task<> read_in_cycles(ReadWorld& world, std::size_t cycles) {
  if (cycles > 0) world.begin_reading(0);
  for (std::size_t c = 0; c < cycles; ++c) {
    co_await world.end_reading();
    co_await world.meet(c);
    if (c + 1 < cycles) world.begin_reading(c + 1);
    co_await world.hand_out(c);
  }
}

}  // namespace weir
