// SPDX-License-Identifier: Apache-2.0
// Turns to write of a host's ranks, whose files may allow unlike numbers of them. Ranks are threads here.
#include "mpi/host_status.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "mpi/futex.hpp"

namespace weir {
namespace {

constexpr double nap = longest_nap * 1e-6;

class Turns : public ::testing::Test {
 protected:
  Turns() {
    for (int i = 0; i < 3; ++i)
      ranks.emplace_back(std::vector{&entries[0], &entries[1], &entries[2]}, std::vector{0, 1, 2}, i, 3);
  }
  std::array<HostStatus::Entry, 3> entries{};
  std::vector<HostStatus> ranks;
};

TEST_F(Turns, AreAsManyAsTheAskerAllows) {
  EXPECT_TRUE(ranks[0].begin_writing(2));
  EXPECT_FALSE(ranks[1].begin_writing(1));
  EXPECT_TRUE(ranks[1].begin_writing(2));
  EXPECT_FALSE(ranks[2].begin_writing(2));
  EXPECT_TRUE(ranks[2].begin_writing(3));
  ranks[0].end_writing();
  ranks[1].end_writing();
  EXPECT_FALSE(ranks[0].begin_writing(1));
  ranks[2].end_writing();
  EXPECT_TRUE(ranks[0].begin_writing(1));
}

// Who may be one of one sleeps while two of two write, and does not ask all the time.
TEST_F(Turns, AreSleptForWhereMoreWriteThanTheSleeperAllows) {
  ASSERT_TRUE(ranks[0].begin_writing(2) && ranks[1].begin_writing(2));
  const double began = now_seconds();
  ranks[2].sleep_until_turn(1);
  EXPECT_GT(now_seconds() - began, nap / 2);
}

TEST_F(Turns, AreNotSleptForWhereOneIsFree) {
  ASSERT_TRUE(ranks[0].begin_writing(2));
  double least = nap;
  for (int i = 0; i < 20; ++i) {
    const double began = now_seconds();
    ranks[2].sleep_until_turn(2);
    least = std::min(least, now_seconds() - began);
  }
  EXPECT_LT(least, nap / 2);
}

// A turn that ends is the next one's who may take it, though another, who may not, has slept longer. On a machine that
// is busy a rank may be woken late, but not each time.
TEST_F(Turns, GoToWhoMayTakeThem) {
  double least = nap;
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(ranks[0].begin_writing(2));
    std::atomic<int> asleep = 0;
    double woken = 0;
    std::thread first([&] {
      ++asleep;
      ranks[1].sleep_until_turn(1);
    });
    while (asleep < 1) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_TRUE(ranks[0].begin_writing(2));
    std::thread second([&] {
      ++asleep;
      ranks[2].sleep_until_turn(2);
      woken = now_seconds();
    });
    while (asleep < 2) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const double ended = now_seconds();
    ranks[0].end_writing();
    second.join();
    first.join();
    least = std::min(least, woken - ended);
    ranks[0].end_writing();
  }
  EXPECT_LT(least, nap / 2);
}

// A turn that is free, and of which another was told, who may not take it any more: that one passes the word on.
TEST_F(Turns, ArePassedOnByWhoMayNotTakeThem) {
  double least = nap;
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(ranks[0].begin_writing(2) && ranks[0].begin_writing(2));
    std::atomic<bool> asleep = false;
    double woken = 0;
    std::thread sleeper([&] {
      asleep = true;
      ranks[2].sleep_until_turn(2);
      woken = now_seconds();
    });
    while (!asleep) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    entries[0].writing.fetch_sub(1);
    const double looked = now_seconds();
    ranks[1].sleep_until_turn(1);
    sleeper.join();
    least = std::min(least, woken - looked);
    ranks[0].end_writing();
  }
  EXPECT_LT(least, nap / 2);
}

// Of limits that share a bit nobody wakes another who may not write either: both sleep until a turn ends.
TEST_F(Turns, OfLargeLimitsAreSleptForByAll) {
  constexpr int most = 40;
  for (int i = 0; i < most; ++i) ASSERT_TRUE(ranks[0].begin_writing(most));
  std::atomic<bool> asleep = false;
  double slept = 0;
  std::thread sleeper([&] {
    const double began = now_seconds();
    asleep = true;
    ranks[1].sleep_until_turn(most);
    slept = now_seconds() - began;
  });
  while (!asleep) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  ranks[2].sleep_until_turn(most);
  sleeper.join();
  EXPECT_GT(slept, nap / 2);
}

}  // namespace
}  // namespace weir
