// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/tally.hpp"

namespace weir {
namespace {

// A rank that met at 10 s, computed for 2 s, and has waited for 3 s in a call since.
class LatenessTest : public testing::Test {
 protected:
  LatenessTest() { rank_.met(0, 0, {10, 1, 0.5}); }
  double late_where_one_computed(double longest) {
    rank_.met(rank_.computed(begin_), longest, {15, 4, 3.5});
    return rank_.seconds();
  }

  LoadImbalance rank_;
  const LoadImbalance::Times begin_{12, 1, 0.5};
};

TEST_F(LatenessTest, WhoComputedLongestWaitedForWeir) {
  EXPECT_DOUBLE_EQ(late_where_one_computed(2), 0);
}

TEST_F(LatenessTest, WhatAnotherComputedLongerWasWaitedForThatOne) {
  EXPECT_DOUBLE_EQ(late_where_one_computed(2.75), 0.75);
}

TEST_F(LatenessTest, IsNoMoreThanTheRankWaited) {
  EXPECT_DOUBLE_EQ(late_where_one_computed(7), 3);
}

TEST_F(LatenessTest, TimeInCallsIsNotComputed) {
  EXPECT_DOUBLE_EQ(rank_.computed({20, 5, 0.5}), 6);
}

TEST_F(LatenessTest, CountsFromTheLastMeeting) {
  late_where_one_computed(2.75);
  EXPECT_DOUBLE_EQ(rank_.computed({18, 5, 3.5}), 2);
  rank_.met(2, 3, {20, 7, 5.5});
  EXPECT_DOUBLE_EQ(rank_.seconds(), 1.75);
}

TEST(LoadImbalance, BeforeTheFirstMeetingNothingIsKnown) {
  LoadImbalance rank;
  EXPECT_DOUBLE_EQ(rank.computed({100, 0, 0}), 0);
  rank.met(0, 50, {100, 1, 1});
  EXPECT_DOUBLE_EQ(rank.seconds(), 0);
}

}  // namespace
}  // namespace weir
