// SPDX-License-Identifier: Apache-2.0
#include "core/shares.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <numeric>

namespace weir::bridge {
namespace {

// time, y = 6, x = 5; a (time, y, x), b (y, x), c a scalar.
Schema shared_schema() {
  Schema made;
  const int time = made.add_dimension("time", 0), y = made.add_dimension("y", 6), x = made.add_dimension("x", 5);
  made.add_variable("a", WEIR_INT, std::vector<int>{time, y, x});
  made.add_variable("b", WEIR_INT, std::vector<int>{y, x});
  made.add_variable("c", WEIR_INT, std::vector<int>{});
  return made;
}

TEST(Shares, AreOneARecord) {
  const Schema file = shared_schema();
  std::vector<int> values(2 * 3 * 2);
  const LocalSlabs part{0, WEIR_INT, {{{4, 1, 2}, {2, 3, 2}, {}}}, values.data()};
  const auto shares = cut_into_shares(file, {&part, 1});
  ASSERT_EQ(shares.size(), 2U);
  EXPECT_EQ(shares[0].key, (Key{4, 0, 0}));
  EXPECT_EQ(shares[1].key, (Key{5, 0, 0}));
  EXPECT_EQ(shares[0].part, shares[1].part) << "the same part of the record, so the same layout";
  std::vector<std::byte> room;
  EXPECT_EQ(shares[1].values(room), values.data() + 6);
  EXPECT_TRUE(room.empty()) << "nothing is copied";
}

TEST(Shares, OfAScalarAreOneElement) {
  const Schema file = shared_schema();
  const int value = 7;
  const LocalSlabs part{2, WEIR_INT, {{}}, &value};
  const auto shares = cut_into_shares(file, {&part, 1});
  ASSERT_EQ(shares.size(), 1U);
  EXPECT_EQ(shares[0].slabs[0].count, Shape{1});
  EXPECT_EQ(shape_of(file, 2), Shape{1});
}

TEST(Shares, LeaveOutNothing) {
  const Schema file = shared_schema();
  const LocalSlabs part{1, WEIR_INT, {{{0, 0}, {0, 5}, {}}}, nullptr};
  EXPECT_TRUE(cut_into_shares(file, {&part, 1}).empty());
}

TEST(Shares, OfTwoTypesInMemoryTakeTurns) {
  const Schema file = shared_schema();
  const int ints[5] = {};
  const double doubles[5] = {};
  const std::vector<LocalSlabs> parts{{1, WEIR_INT, {{{0, 0}, {1, 5}, {}}}, ints},
                                      {1, WEIR_DOUBLE, {{{1, 0}, {1, 5}, {}}}, doubles},
                                      {1, WEIR_INT, {{{2, 0}, {1, 5}, {}}}, ints}};
  const auto shares = cut_into_shares(file, parts);
  ASSERT_EQ(shares.size(), 2U);
  EXPECT_EQ(shares[0].slabs.size(), 2U);
  EXPECT_EQ(shares[1].key.turn, 1);
  std::vector<std::byte> room;
  shares[0].values(room);
  EXPECT_EQ(room.size(), sizeof(ints) * 2) << "two buffers become one";
}

// Every element of every slab is in the share of its record, once, with its own value.
RC_GTEST_PROP(Shares, HoldEveryElementOnce, ()) {
  const Schema file = shared_schema();
  const int nslabs = *rc::gen::inRange(1, 4);
  std::vector<Slab> slabs;
  std::int64_t elements = 0;
  for (int i = 0; i < nslabs; ++i) {
    Slab slab{{*rc::gen::inRange(0, 5), *rc::gen::inRange(0, 6), *rc::gen::inRange(0, 5)}, {}, {}};
    slab.count = {*rc::gen::inRange(0, 4), *rc::gen::inRange<std::int64_t>(0, 7 - slab.start[1]),
                  *rc::gen::inRange<std::int64_t>(0, 6 - slab.start[2])};
    if (*rc::gen::arbitrary<bool>()) slab.stride = {*rc::gen::inRange(1, 3), 1, 1};
    elements += slab.elements();
    slabs.push_back(slab);
  }
  std::vector<int> values(static_cast<std::size_t>(elements));
  std::iota(values.begin(), values.end(), 0);
  const LocalSlabs part{0, WEIR_INT, slabs, values.data()};
  std::map<std::int64_t, std::vector<int>> wanted;  // values by record, in the order of memory
  int next = 0;
  for (const Slab& slab : slabs)
    for (std::int64_t r = 0; r < slab.count[0]; ++r)
      for (std::int64_t i = 0; i < slab.count[1] * slab.count[2]; ++i)
        wanted[slab.start[0] + r * (slab.stride.empty() ? 1 : slab.stride[0])].push_back(next++);
  const auto shares = cut_into_shares(file, {&part, 1});
  RC_ASSERT(shares.size() == wanted.size());
  for (const Share& share : shares) {
    std::vector<std::byte> room;
    const auto* held = static_cast<const int*>(share.values(room));
    const std::vector<int>& own = wanted.at(share.key.record);
    RC_ASSERT(std::equal(own.begin(), own.end(), held));
  }
}

}  // namespace
}  // namespace weir::bridge
