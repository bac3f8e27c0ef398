// SPDX-License-Identifier: Apache-2.0
// The scheduler by example: the paper's figures 3, 6 and 8 as lists of events.
#include <gtest/gtest.h>

#include "words.hpp"

namespace weir {

namespace {

using namespace words;

// Figure 3: ranks 0 and 3 are early, so they keep the data of 1 and 2, who go on at once.
TEST(Figure3, EarlyRanksBecomeTheWriters) {
  const Machine machine = nodes_of({1, 1, 1, 1});
  Scheduler scheduler(machine, {});
  scheduler.offer(0, 0, 2);
  EXPECT_EQ(said(scheduler), Words{});
  EXPECT_EQ(scheduler.slots(0), nullptr);
  scheduler.offer(3, 0, 2);
  EXPECT_EQ(said(scheduler), (Words{"assigned 0", "released 0"}));
  EXPECT_EQ(ranks_in(scheduler, 0), (Ranks{0, 3}));
  scheduler.offer(1, 0, 2);
  EXPECT_EQ(said(scheduler), Words{"assigned 0 for 1"});
  // The second step: process 3 (here 2) is the slow one still.
  for (const int rank : {3, 1}) scheduler.offer(rank, 1, 2);
  EXPECT_EQ(ranks_in(scheduler, 1), (Ranks{3, 1}));
  EXPECT_EQ((*scheduler.slots(1))[0].tile_buffer, 1) << "its first place holds unit 0";
  EXPECT_EQ((Ranks{scheduler.arrivals().begin(), scheduler.arrivals().end()}), (Ranks{3, 1}));
  EXPECT_EQ(scheduler.released(), 1);
  write_all(scheduler, 0);
  EXPECT_EQ(scheduler.slots(0), nullptr);
  EXPECT_NE(scheduler.slots(1), nullptr);
}

// Figure 6: a rank asks; it becomes an I/O process, or is told one and goes on; none waits for the second writer.
TEST(Figure6, EveryRankIsAnsweredAsItAsks) {
  const Machine machine = nodes_of({2, 2});
  ScheduleParameters parameters;
  parameters.hops = HopKind::two;
  Scheduler scheduler(machine, parameters);
  scheduler.offer(1, 0, 2);
  EXPECT_EQ(said(scheduler), Words{"1 to 1 in 0"}) << "a writer keeps its own";
  scheduler.offer(0, 0, 2);
  EXPECT_EQ(said(scheduler), Words{"0 to 1 in 0"}) << "node 0 has a writer";
  scheduler.offer(3, 0, 2);
  EXPECT_EQ(said(scheduler), (Words{"assigned 0", "released 0"}));
  EXPECT_EQ(ranks_in(scheduler, 0), (Ranks{1, 3}));
}

TEST(Figure6, RelaysAreDealtEvenly) {
  const Machine machine = nodes_of({1, 1, 6});
  ScheduleParameters parameters;
  parameters.hops = HopKind::two;
  Scheduler scheduler(machine, parameters);
  const auto relay_of = [&](int rank) {
    scheduler.offer(rank, 0, 3);
    return scheduler.decisions().size() == 1 ? scheduler.decisions()[0].to : -1;
  };
  EXPECT_EQ(relay_of(2), 2);
  EXPECT_EQ(relay_of(3), 2);
  EXPECT_EQ(relay_of(4), 2);
  EXPECT_EQ(relay_of(0), 0);
  EXPECT_EQ(relay_of(5), 0) << "it has been given none";
  EXPECT_EQ(relay_of(6), 0);
  EXPECT_EQ(relay_of(7), 2) << "both have two: the first";
  EXPECT_EQ(relay_of(1), -1);
  EXPECT_EQ(said(scheduler), (Words{"assigned 0", "released 0"}));
}

TEST(Figure6, WhoComesBeforeAnySlotIsToldWithTheFirst) {
  const Machine machine = nodes_of({1, 1, 1});
  ScheduleParameters parameters;
  parameters.hops = HopKind::two;
  parameters.tiles_per_rank = 1;
  Scheduler scheduler(machine, parameters);
  for (const int rank : {0, 1, 2}) scheduler.offer(rank, 0, 3);
  for (const int rank : {0, 1}) {
    scheduler.offer(rank, 1, 2);
    EXPECT_EQ(said(scheduler), Words{}) << "no rank has room";
  }
  scheduler.written(1, 0, 0);
  EXPECT_EQ(said(scheduler), (Words{"0 to 1 in 1", "1 to 1 in 1"}));
  scheduler.written(2, 0, 0);
  EXPECT_EQ(said(scheduler), Words{}) << "rank 2 has not come yet";
  scheduler.offer(2, 1, 2);
  EXPECT_EQ(said(scheduler), (Words{"assigned 1", "released 1"}));
}

// Figure 8: after two cycles of computing and forwarding temperature is with {1,2,5,6}, pressure with {3,4,8,9}; then
// both are written.
TEST(Figure8, TwoVariablesHaveTwoDomains) {
  const Machine machine = nodes_of({1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
  ScheduleParameters parameters;
  parameters.flush_after = 2;
  Scheduler scheduler(machine, parameters);
  for (const int rank : {1, 2, 5, 6}) scheduler.offer(rank, 0, 4);
  EXPECT_EQ(said(scheduler), Words{"assigned 0"});
  for (const int rank : {1, 2, 3, 5, 4, 8}) scheduler.offer(rank, 1, 4);
  EXPECT_EQ(said(scheduler), Words{}) << "1, 2 and 5 keep temperature";
  scheduler.offer(9, 1, 4);
  EXPECT_EQ(said(scheduler), (Words{"assigned 1", "released 1"}));
  EXPECT_EQ(ranks_in(scheduler, 0), (Ranks{1, 2, 5, 6}));
  EXPECT_EQ(ranks_in(scheduler, 1), (Ranks{3, 4, 8, 9}));
  for (const int rank : {1, 2, 5, 6}) scheduler.offer(rank, 2, 4);
  EXPECT_EQ(said(scheduler), Words{"assigned 2"}) << "in the new cycle they may again";
}

}  // namespace
}  // namespace weir
