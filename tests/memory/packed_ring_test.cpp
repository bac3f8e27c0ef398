// SPDX-License-Identifier: Apache-2.0
// The ring of messages to send: what lives lies apart and inside, cycles give back in their order, and who is in the
// way is the cycle whose end makes room.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "schedule/memory_budget.hpp"

namespace weir {
namespace {

struct ReceiveFromOwner {
  std::uint32_t cycle;
  std::int64_t begin, end;
};

RC_GTEST_PROP(PackedRing, WhatLivesLiesApart, ()) {
  const auto size = *rc::gen::inRange<std::int64_t>(1, 300);
  PackedRing ring(size);
  std::vector<ReceiveFromOwner> living;
  std::uint32_t cycle = 1, given_back = 0;
  for (int step = 0; step < 80; ++step) {
    if (*rc::gen::inRange(0, 3) == 0) ++cycle;
    const auto bytes = *rc::gen::inRange<std::int64_t>(1, size + 1);
    const std::uint32_t blocker = ring.in_the_way(bytes);
    if (blocker != 0) {
      RC_ASSERT(blocker > given_back && blocker <= cycle);
      ring.give_back(blocker);
      given_back = blocker;
      std::erase_if(living, [&](const ReceiveFromOwner& taken) { return taken.cycle <= given_back; });
      if (cycle <= given_back) cycle = given_back + 1;
      RC_ASSERT(ring.in_the_way(bytes) == 0U);
    }
    const std::int64_t begin = ring.take(bytes, cycle);
    RC_ASSERT(begin >= 0 && begin + bytes <= size);
    for (const ReceiveFromOwner& taken : living) RC_ASSERT(begin >= taken.end || begin + bytes <= taken.begin);
    living.push_back({cycle, begin, begin + bytes});
    std::int64_t sum = 0;
    for (const ReceiveFromOwner& taken : living) sum += taken.end - taken.begin;
    RC_ASSERT(ring.in_use_bytes() >= sum && ring.in_use_bytes() <= size);
  }
  ring.give_back(cycle);
  RC_ASSERT(ring.in_use_bytes() == 0);
  RC_ASSERT(ring.in_the_way(size) == 0U);
}

TEST(PackedRing, TwoRanksThatTakeAlikeRunFullAtTheSamePlace) {
  PackedRing one(100), other(100);
  for (std::uint32_t cycle = 1; cycle < 50; ++cycle) {
    const std::int64_t bytes = 10 + cycle * 7 % 31;
    ASSERT_EQ(one.in_the_way(bytes), other.in_the_way(bytes));
    if (const std::uint32_t blocker = one.in_the_way(bytes); blocker != 0)
      one.give_back(blocker), other.give_back(blocker);
    ASSERT_EQ(one.take(bytes, cycle), other.take(bytes, cycle));
  }
}

}  // namespace
}  // namespace weir
