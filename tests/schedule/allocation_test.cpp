// SPDX-License-Identifier: Apache-2.0
// alone: its own operator new
// A scheduler in its stride allocates nothing: what forgotten units leave is used again.
#include <gtest/gtest.h>

#include "counted_new.hpp"
#include "words.hpp"

namespace weir {
namespace {

class Stride : public testing::TestWithParam<std::pair<ChooseKind, HopKind>> {};

// All ranks offer every unit; a unit is written as the third after it is assigned.
void run(Scheduler& scheduler, std::int64_t from, std::int64_t to) {
  for (std::int64_t unit = from; unit < to; ++unit) {
    for (int rank = 0; rank < 64; ++rank) scheduler.offer(rank, unit, unit % 5 == 0 ? 0 : 4);
    if (unit < 3 || scheduler.slots(unit - 3) == nullptr) continue;
    for (std::size_t i = 0, count = scheduler.slots(unit - 3)->size(); i < count; ++i) {
      const Slot slot = scheduler.slots(unit - 3)->at(i);
      scheduler.written(slot.rank, unit - 3, slot.tile_buffer);
    }
  }
}

TEST_P(Stride, AllocatesNothing) {
  const Machine machine = words::nodes_of({16, 16, 16, 16});
  ScheduleParameters parameters;
  parameters.choose = GetParam().first;
  parameters.hops = GetParam().second;
  parameters.flush_after = 2;
  Scheduler scheduler(machine, parameters);
  run(scheduler, 0, 100);
  const long before = allocations;
  run(scheduler, 100, 5000);
  EXPECT_EQ(allocations - before, 0);
}

INSTANTIATE_TEST_SUITE_P(Policies, Stride,
                         testing::Values(std::pair{ChooseKind::arrival, HopKind::one},
                                         std::pair{ChooseKind::arrival, HopKind::two},
                                         std::pair{ChooseKind::recent, HopKind::one},
                                         std::pair{ChooseKind::warm, HopKind::two}));

}  // namespace
}  // namespace weir
