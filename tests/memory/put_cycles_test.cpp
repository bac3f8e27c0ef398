// SPDX-License-Identifier: Apache-2.0
// When cycles begin and end: every round is put once and in order, in memory that no other round and no message under
// way has, and an end hands over what was put.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "schedule/rounds.hpp"

namespace weir {
namespace {

// The memory that a round has.
struct Put {
  std::size_t round;
  std::uint32_t cycle;
  Reservation at;
  Need need;
};

// What a rank does by the rules, noted.
struct Rank {
  MemoryBudget budget;
  bool full_after_each;
  std::vector<Need> needs{};
  bool open = false;
  std::uint32_t number = 0, sent = 0;
  int used_up = 0;
  std::vector<Put> puts{};
  std::vector<std::uint32_t> handed_over{};

  void put_all() {
    for (std::size_t round = 0; round < needs.size(); ++round) {
      const Reservation at = reserve(needs[round]);
      RC_ASSERT(open);
      puts.push_back({round, number, at, needs[round]});
      if (full_after_each) finish();
    }
  }
  Reservation reserve(const Need& need) {
    for (int steps = 0;; ++steps) {
      RC_ASSERT(steps < 10);
      switch (budget.next_step(need, open, number)) {
        case RoomStep::begin_cycle:
          RC_ASSERT(!open);
          ++number;
          open = true;
          break;
        case RoomStep::finish_cycle:
          ++used_up;
          finish();
          break;
        case RoomStep::await_messages:
          await(budget.in_the_way(need));
          break;
        case RoomStep::reserve:
          return budget.reserve(need, number);
      }
    }
  }
  void await(std::uint32_t earlier) {
    RC_ASSERT(earlier > sent && earlier <= number);
    RC_ASSERT(!open || earlier < number);  // messages of an open cycle are not sent before it is handed over
    sent = earlier;
    budget.give_back(earlier);
  }
  void finish() {
    if (!open) return;
    budget.close();
    open = false;
    handed_over.push_back(number);
  }
};

MemoryShares some_shares() {
  return {fewest_tile_buffers, *rc::gen::inRange<std::int64_t>(4, 200) * 64,
          *rc::gen::inRange<std::int64_t>(2, 200) * 64};
}

std::vector<Need> some_needs(const MemoryBudget& budget) {
  const MemoryShares& shares = budget.shares();
  std::vector<Need> needs(*rc::gen::inRange<std::size_t>(1, 40));
  for (Need& need : needs) {
    need.tile = *rc::gen::inRange<std::int64_t>(1, shares.tile_bytes + 1);
    need.packed = *rc::gen::inRange<std::int64_t>(0, shares.message_bytes / 2 + 1);
    need.received = *rc::gen::inRange<std::int64_t>(0, shares.message_bytes / 2 + 1);
    RC_PRE(budget.possible(need));
  }
  return needs;
}

bool overlap(std::int64_t a, std::int64_t a_bytes, std::int64_t b, std::int64_t b_bytes) {
  return a_bytes > 0 && b_bytes > 0 && a < b + b_bytes && b < a + a_bytes;
}

RC_GTEST_PROP(PutCycles, EveryRoundHasMemoryOfItsOwn, ()) {
  Rank rank{MemoryBudget(some_shares(), *rc::gen::arbitrary<bool>()), *rc::gen::arbitrary<bool>()};
  rank.needs = some_needs(rank.budget);
  rank.put_all();
  rank.finish();
  RC_ASSERT(rank.puts.size() == rank.needs.size());
  for (std::size_t k = 0; k < rank.puts.size(); ++k) {
    const Put& put = rank.puts[k];
    RC_ASSERT(put.round == k);
    RC_ASSERT(put.at.tile + put.need.tile <= rank.budget.shares().tile_bytes);
    RC_ASSERT(put.at.packed + put.need.packed <= rank.budget.shares().message_bytes);
    for (std::size_t j = 0; j < k; ++j) {
      const Put& other = rank.puts[j];
      if (other.cycle != put.cycle) continue;
      RC_ASSERT(!overlap(put.at.tile, put.need.tile, other.at.tile, other.need.tile));
      RC_ASSERT(!overlap(put.at.packed, put.need.packed, other.at.packed, other.need.packed));
    }
  }
}

RC_GTEST_PROP(PutCycles, EveryCycleIsHandedOverOnceAndInOrder, ()) {
  Rank rank{MemoryBudget(some_shares(), false), *rc::gen::arbitrary<bool>()};
  rank.needs = some_needs(rank.budget);
  rank.put_all();
  const bool left_open = rank.open;
  RC_ASSERT(left_open != rank.full_after_each);
  rank.finish();
  rank.finish();  // nothing is open: nothing happens
  RC_ASSERT(rank.handed_over.size() == rank.number);
  for (std::uint32_t number = 1; number <= rank.number; ++number) RC_ASSERT(rank.handed_over[number - 1] == number);
  if (rank.full_after_each) RC_ASSERT(rank.number == rank.needs.size());
  RC_ASSERT(rank.budget.used().tile == 0);
}

// A cycle takes what fits: it ends for want of memory alone, so that few messages go.
RC_GTEST_PROP(PutCycles, NoCycleEndsBeforeItsMemoryIsUsedUp, ()) {
  Rank rank{MemoryBudget(some_shares(), false), false};
  rank.needs = some_needs(rank.budget);
  rank.put_all();
  RC_ASSERT(rank.used_up + 1 == static_cast<int>(rank.number));
  std::map<std::uint32_t, Need> sums;
  for (std::size_t k = 0; k < rank.puts.size(); ++k) {
    const Need& need = rank.puts[k].need;
    if (k > 0 && rank.puts[k].cycle != rank.puts[k - 1].cycle) {
      const Need& before = sums[rank.puts[k - 1].cycle];
      // Tiles are aligned, and messages in a ring may leave its end unused.
      const MemoryShares& shares = rank.budget.shares();
      RC_ASSERT(before.tile + need.tile + 64 * 40 > shares.tile_bytes ||
                before.received + need.received > shares.message_bytes ||
                before.packed + need.packed + 64 * 40 > shares.message_bytes / 2);
    }
    Need& sum = sums[rank.puts[k].cycle];
    sum.tile += need.tile;
    sum.packed += need.packed;
    sum.received += need.received;
  }
}

// The end of a record keeps small tiles for the puts to come, and all where nothing is written in the background.
TEST(EndOfRecord, EndsACycleThatIsWorthIt) {
  for (const OverlapKind overlap : {OverlapKind::none, OverlapKind::background})
    for (const bool collective : {false, true})
      for (const std::int64_t bytes : {1000, 100'000}) {
        Config config;
        config.overlap = overlap;
        config.bundle_bytes = 50'000;
        EXPECT_EQ(!ends_with_record(bytes, collective, config),
                  overlap == OverlapKind::none || collective || bytes < 50'000)
            << static_cast<int>(overlap) << ' ' << collective << ' ' << bytes;
      }
}

RC_GTEST_PROP(ReadingCycles, TakeAllRoundsInOrderAndWithinMemory, ()) {
  const MemoryBudget budget(some_shares(), false);
  const std::vector<Need> needs = some_needs(budget);
  std::size_t next = 0, in_cycle = 0;
  std::int64_t reach = 0;
  const auto add = [&](std::size_t round, std::int64_t tile) {
    RC_ASSERT(round == next++);
    RC_ASSERT(tile >= reach);
    reach = tile + needs[round].tile;
    ++in_cycle;
  };
  const auto end = [&](const Need& used) {
    RC_ASSERT(in_cycle > 0u && used.tile >= reach && used.tile <= budget.shares().tile_bytes);
    RC_ASSERT(used.received <= budget.shares().message_bytes);
    in_cycle = 0;
    reach = 0;
  };
  each_reading_cycle(budget, needs, add, end);
  RC_ASSERT(next == needs.size() && in_cycle == 0u);
}

}  // namespace
}  // namespace weir
