// SPDX-License-Identifier: Apache-2.0
// Tile memory as it is reserved: every place within the budget and none in another, large ones at the remainder of a
// block that was asked for, and what is possible fits where nothing else is.
#include "schedule/memory_budget.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/numbers.hpp"

namespace weir {
namespace {

RC_GTEST_PROP(MemoryBudget, LargeTilesBeginAtTheirRemainder, ()) {
  const auto limit = *rc::gen::inRange<std::int64_t>(64 << 10, 8 << 20);
  MemoryBudget budget({fewest_tile_buffers, limit / 4 / 64 * 64, limit / 4 / 64 * 64}, false);
  std::int64_t end = 0;
  for (std::uint32_t i = 0; i < 20; ++i) {
    Need need{*rc::gen::element(*rc::gen::inRange<std::int64_t>(1, 1000),
                                *rc::gen::inRange<std::int64_t>(60 << 10, 300 << 10), budget.shares().tile_bytes)};
    need.offset_in_block = *rc::gen::inRange<std::int64_t>(0, block_bytes);
    if (!budget.fits(need)) {
      RC_ASSERT(!budget.possible(need) || budget.used().tile > 0);
      budget.close();
      end = 0;
      if (!budget.fits(need)) continue;
    }
    const Reservation reservation = budget.reserve(need, 1);
    RC_ASSERT(reservation.tile >= end);
    if (need.tile >= fewest_aligned_bytes) RC_ASSERT(reservation.tile % block_bytes == need.offset_in_block);
    end = reservation.tile + need.tile;
    RC_ASSERT(end <= budget.used().tile);
    RC_ASSERT(end <= budget.shares().tile_bytes);
  }
}

Machine machine_of(int hosts, int ranks_per_host) {
  std::vector<int> leader;
  for (int rank = 0; rank < hosts * ranks_per_host; ++rank) leader.push_back(rank / ranks_per_host * ranks_per_host);
  return Machine::from_leaders(leader);
}

// The cap holds however memory is shared out, and a host has as many units under way with few ranks as with many.
RC_GTEST_PROP(MemoryShares, TakeNoMoreThanTheLimit, ()) {
  Config config;
  config.buffer_limit_bytes = *rc::gen::inRange<std::int64_t>(64 << 10, 1LL << 30);
  config.strategy = *rc::gen::element(StrategyKind::remap, StrategyKind::dynamic);
  const Machine machine = machine_of(*rc::gen::inRange(1, 4), *rc::gen::inRange(1, 70));
  const bool messages = machine.hosts() > 1 || *rc::gen::arbitrary<bool>();
  const MemoryShares shares = memory_shares(config, machine, messages);
  RC_ASSERT(shares.tile_buffers >= fewest_tile_buffers && shares.tile_buffers <= most_tile_buffers);
  RC_ASSERT(shares.tile_buffers * shares.tile_bytes + 2 * shares.message_bytes <= config.buffer_limit_bytes);
  RC_ASSERT(shares.tile_bytes > 0 && (shares.message_bytes > 0) == messages);
}

TEST(MemoryShares, GiveAHostOfFewRanksMorePlaces) {
  Config config;
  config.strategy = StrategyKind::dynamic;
  EXPECT_EQ(memory_shares(config, machine_of(1, 2), false).tile_buffers, 8);
  EXPECT_EQ(memory_shares(config, machine_of(1, 8), false).tile_buffers, 4);
  EXPECT_EQ(memory_shares(config, machine_of(1, 64), false).tile_buffers, fewest_tile_buffers);
  EXPECT_EQ(memory_shares(config, machine_of(4, 2), true).tile_buffers, 4);
  config.strategy = StrategyKind::remap;
  EXPECT_EQ(memory_shares(config, machine_of(1, 2), false).tile_buffers, fewest_tile_buffers);
}

}  // namespace
}  // namespace weir
