// SPDX-License-Identifier: Apache-2.0
// Tile memory as it is reserved: every place within the budget and none in another, large ones at the remainder of a
// block that was asked for, and what is possible fits where nothing else is.
#include "put/memory_budget.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/blocks.hpp"

namespace weir {
namespace {

RC_GTEST_PROP(MemoryBudget, LargeTilesBeginAtTheirRemainder, ()) {
  const auto limit = *rc::gen::inRange<std::int64_t>(64 << 10, 8 << 20);
  MemoryBudget budget(limit, false);
  std::int64_t end = 0;
  for (std::uint32_t i = 0; i < 20; ++i) {
    Need need{*rc::gen::element(*rc::gen::inRange<std::int64_t>(1, 1000),
                                *rc::gen::inRange<std::int64_t>(60 << 10, 300 << 10), budget.budget_bytes())};
    need.remainder = *rc::gen::inRange<std::int64_t>(0, block_bytes);
    if (!budget.fits(need)) {
      RC_ASSERT(!budget.possible(need) || budget.used().tile > 0);
      budget.close();
      end = 0;
      if (!budget.fits(need)) continue;
    }
    const Place place = budget.reserve(need, 1);
    RC_ASSERT(place.tile >= end);
    if (need.tile >= fewest_aligned_bytes) RC_ASSERT(place.tile % block_bytes == need.remainder);
    end = place.tile + need.tile;
    RC_ASSERT(end <= budget.used().tile);
    RC_ASSERT(end <= budget.budget_bytes());
  }
}

}  // namespace
}  // namespace weir
