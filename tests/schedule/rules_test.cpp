// SPDX-License-Identifier: Apache-2.0
// The scheduler's rules by example: each policy, each way a rule yields, groups of units, the cap, and what is refused.
#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "words.hpp"

namespace weir {
namespace {

using namespace words;

ScheduleParameters choosing(ChooseKind choose) {
  ScheduleParameters parameters;
  parameters.choose = choose;
  return parameters;
}

template <class Call>
Code code_of(Call call, std::string* sentence = nullptr) {
  try {
    call();
  } catch (const Error& error) {
    if (sentence != nullptr) *sentence = error.what();
    return error.code();
  }
  return WEIR_OK;
}

// ---- arrival

TEST(Arrival, ANodeTakesWhatAnEvenSpreadNeeds) {
  const Machine machine = nodes_of({4, 4});
  Scheduler scheduler(machine, {});
  for (const int rank : {0, 1, 2}) scheduler.offer(rank, 0, 4);
  scheduler.offer(4, 0, 4);
  EXPECT_EQ(scheduler.slots(0), nullptr) << "two a node are needed, so 2 is one too many";
  scheduler.offer(5, 0, 4);
  EXPECT_EQ(ranks_in(scheduler, 0), (Ranks{0, 1, 4, 5}));
}

TEST(Arrival, OnceAllHaveOfferedOneSlotInAGroupYieldsThenTheNodes) {
  const Machine machine = nodes_of({3, 1});
  ScheduleParameters parameters;
  parameters.flush_after = 9;
  Scheduler scheduler(machine, parameters);
  scheduler.offer(3, 0, 1);
  for (const int rank : {3, 1, 0}) scheduler.offer(rank, 1, 2);
  EXPECT_EQ(scheduler.slots(1), nullptr);
  scheduler.offer(2, 1, 2);
  EXPECT_EQ(ranks_in(scheduler, 1), (Ranks{1, 3})) << "3 takes a second slot before node 0 does";
  for (const int rank : {2, 3, 0}) scheduler.offer(rank, 2, 2);
  EXPECT_EQ(scheduler.slots(2), nullptr);
  scheduler.offer(1, 2, 2);
  EXPECT_EQ(ranks_in(scheduler, 2), (Ranks{0, 2})) << "3 is full";
}

TEST(Arrival, TheCapNeverYields) {
  const Machine machine = nodes_of({2});
  ScheduleParameters parameters;
  parameters.tiles_per_rank = 1;
  Scheduler scheduler(machine, parameters);
  for (const int rank : {0, 1}) scheduler.offer(rank, 0, 2);
  for (const int rank : {0, 1}) scheduler.offer(rank, 1, 1);
  EXPECT_EQ(scheduler.slots(1), nullptr);
  scheduler.written(1, 0, 0);
  EXPECT_EQ(said(scheduler), (Words{"assigned 1", "released 1"}));
  EXPECT_EQ(ranks_in(scheduler, 1), Ranks{1});
}

// Rank 2 has room, but of the two places left unit 1 wants two.
TEST(Arrival, NoUnitTakesWhatOneBeforeItWants) {
  const Machine machine = nodes_of({1, 2, 1, 1});
  ScheduleParameters parameters;
  parameters.hops = HopKind::two;
  parameters.tiles_per_rank = 1;
  Scheduler scheduler(machine, parameters);
  scheduler.offer(3, 0, 1);
  for (const int rank : {0, 1, 2}) scheduler.offer(rank, 1, 4);
  EXPECT_EQ(said(scheduler), Words{"2 to 0 in 1"}) << "its node has a slot";
  scheduler.offer(2, 2, 1);
  EXPECT_EQ(said(scheduler), Words{});
  scheduler.written(3, 0, 0);
  EXPECT_EQ(said(scheduler), (Words{"assigned 2", "released 2"}));
  EXPECT_EQ(ranks_in(scheduler, 2), Ranks{2});
}

// ---- groups of units

TEST(Group, EndsWhereEverybodyIsInUse) {
  const Machine machine = nodes_of({2, 2});
  ScheduleParameters parameters;
  parameters.flush_after = 100;
  Scheduler scheduler(machine, parameters);
  for (const int rank : {0, 2}) scheduler.offer(rank, 0, 2);
  for (const int rank : {1, 3}) scheduler.offer(rank, 1, 2);
  EXPECT_EQ(scheduler.released(), -1);
  scheduler.offer(3, 2, 2);
  EXPECT_EQ(said(scheduler), Words{"released 1"}) << "and 3 has the first slot of unit 2";
  scheduler.offer(0, 2, 2);
  EXPECT_EQ(ranks_in(scheduler, 2), (Ranks{0, 3}));
}

// So that tiles, which are in file order, are near those who hold their elements.
TEST(Slots, ArePutInTheOrderOfTheHosts) {
  const Machine machine = nodes_of({2, 2, 2});
  ScheduleParameters parameters;
  parameters.writers_per_node = 2;
  Scheduler scheduler(machine, parameters);
  for (const int rank : {5, 1, 2}) scheduler.offer(rank, 0, 3);
  EXPECT_EQ(ranks_in(scheduler, 0), (Ranks{1, 2, 5}));
  for (const int rank : {4, 3}) scheduler.offer(rank, 1, 2);
  EXPECT_EQ(ranks_in(scheduler, 1), (Ranks{4, 3})) << "not all hosts share this one: it goes round them";
}

TEST(Group, EndsWithARelease) {
  const Machine machine = nodes_of({1, 1});
  ScheduleParameters parameters;
  parameters.flush_after = 100;
  Scheduler scheduler(machine, parameters);
  scheduler.offer(0, 0, 1);
  scheduler.release(0);
  EXPECT_EQ(said(scheduler), Words{"released 0"});
  scheduler.offer(0, 1, 1);
  EXPECT_EQ(ranks_in(scheduler, 1), Ranks{0}) << "a new group";
  scheduler.release(0);
  EXPECT_EQ(said(scheduler), Words{}) << "it was";
  scheduler.offer(1, 2, 1);
  scheduler.release(1);
  scheduler.offer(1, 3, 2);
  EXPECT_EQ(scheduler.slots(3), nullptr) << "unit 2 is not released, so the group goes on and 1 is in use";
}

TEST(Group, AReleaseHoldsForWhatIsAssignedLater) {
  const Machine machine = nodes_of({1, 1});
  ScheduleParameters parameters;
  parameters.flush_after = 100;
  Scheduler scheduler(machine, parameters);
  scheduler.offer(0, 0, 2);
  scheduler.release(0);
  EXPECT_EQ(scheduler.released(), 0);
  scheduler.offer(1, 0, 2);
  EXPECT_EQ(said(scheduler), Words{"assigned 0"});
}

TEST(Group, UnitsWithoutSlotsAreAssignedAndPassAway) {
  const Machine machine = nodes_of({2});
  ScheduleParameters parameters;
  parameters.flush_after = 2;
  Scheduler scheduler(machine, parameters);
  scheduler.offer(0, 0, 0);
  EXPECT_EQ(said(scheduler), Words{"assigned 0"});
  ASSERT_NE(scheduler.slots(0), nullptr);
  EXPECT_TRUE(scheduler.slots(0)->empty());
  scheduler.offer(0, 1, 0);
  EXPECT_EQ(said(scheduler), (Words{"assigned 1", "released 1"}));
  EXPECT_NE(scheduler.slots(1), nullptr) << "whoever carries out the decisions may look";
  scheduler.offer(1, 0, 0);
  EXPECT_EQ(said(scheduler), Words{"assigned 0 for 1"});
  EXPECT_EQ(scheduler.slots(0), nullptr);
  EXPECT_EQ(scheduler.slots(1), nullptr);
}

// ---- recent

TEST(Recent, TheFirstOfferGivesAllSlots) {
  const Machine machine = nodes_of({3, 3});
  ScheduleParameters parameters = choosing(ChooseKind::recent);
  parameters.writers_per_node = 2;
  Scheduler scheduler(machine, parameters);
  scheduler.offer(5, 0, 3);
  EXPECT_EQ(ranks_in(scheduler, 0), (Ranks{0, 3, 5})) << "nothing is known: nodes in turn";
  for (const int rank : {1, 4, 2}) scheduler.offer(rank, 0, 3);
  scheduler.offer(2, 1, 4);
  EXPECT_EQ(ranks_in(scheduler, 1), (Ranks{1, 2, 4, 5})) << "who offers, then as they came: 5, 1, 4";
  scheduler.offer(0, 1, 4);
  scheduler.offer(0, 2, 3);
  EXPECT_EQ(ranks_in(scheduler, 2), (Ranks{0, 1, 4})) << "of unit 1 less is known than of unit 0; 5 is full";
}

TEST(Recent, KnowsOneOrderUntilALaterOneIsKnownAsWell) {
  const Machine machine = nodes_of({1, 1, 1, 1});
  ScheduleParameters parameters = choosing(ChooseKind::recent);
  parameters.tiles_per_rank = 9;
  Scheduler scheduler(machine, parameters);
  for (const int rank : {3, 2, 1}) scheduler.offer(rank, 0, 1);
  for (const int rank : {0, 1}) scheduler.offer(rank, 1, 1);
  scheduler.offer(0, 2, 4);
  EXPECT_EQ(ranks_in(scheduler, 2), (Ranks{0, 1, 2, 3})) << "three are known of unit 0, two of unit 1";
  scheduler.offer(2, 1, 1);
  scheduler.offer(0, 3, 4);
  EXPECT_EQ(ranks_in(scheduler, 3), (Ranks{0, 1, 2, 3})) << "now as many of unit 1";
}

TEST(Recent, ASlotForWhomNobodyWaited) {
  const Machine machine = nodes_of({2});
  ScheduleParameters parameters = choosing(ChooseKind::recent);
  parameters.tiles_per_rank = 1;
  Scheduler scheduler(machine, parameters);
  scheduler.offer(0, 0, 2);
  scheduler.offer(0, 1, 1);
  EXPECT_EQ(scheduler.slots(1), nullptr) << "nobody has room";
  scheduler.written(1, 0, 0);
  EXPECT_EQ(ranks_in(scheduler, 1), Ranks{1}) << "which has not offered it";
}

TEST(Recent, ANewSeriesGoesToTheRankWithLeastToDo) {
  const Machine machine = nodes_of({4});
  ScheduleParameters parameters = choosing(ChooseKind::recent);
  parameters.tiles_per_rank = 9;
  Scheduler scheduler(machine, parameters);
  for (std::int64_t unit = 0; unit < 5; ++unit) scheduler.offer(2, unit, 1, unit + 1);
  EXPECT_EQ(ranks_in(scheduler, 0), Ranks{2}) << "all have nothing to do, and it offers";
  EXPECT_EQ(ranks_in(scheduler, 1), Ranks{0});
  EXPECT_EQ(ranks_in(scheduler, 2), Ranks{1});
  EXPECT_EQ(ranks_in(scheduler, 3), Ranks{3});
  EXPECT_EQ(ranks_in(scheduler, 4), Ranks{2});
  scheduler.offer(2, 5, 1);
  EXPECT_EQ(ranks_in(scheduler, 5), Ranks{2}) << "of no series: who is early";
}

TEST(Recent, ANewSeriesIsSpreadOverNodesFirst) {
  const Machine machine = nodes_of({3, 1});
  ScheduleParameters parameters = choosing(ChooseKind::recent);
  parameters.tiles_per_rank = 2;
  Scheduler scheduler(machine, parameters);
  scheduler.offer(0, 0, 2, 7);
  EXPECT_EQ(ranks_in(scheduler, 0), (Ranks{0, 3}));
  scheduler.offer(0, 1, 2, 8);
  EXPECT_EQ(ranks_in(scheduler, 1), (Ranks{1, 3})) << "3 has more to do, but is alone on its node";
  scheduler.offer(0, 2, 2, 9);
  EXPECT_EQ(ranks_in(scheduler, 2), (Ranks{2, 2})) << "3 is full, and the others have a tile and a series each";
}

TEST(Recent, UnitsOfASeriesGoToTheSameRanks) {
  const Machine machine = nodes_of({2, 2});
  ScheduleParameters parameters = choosing(ChooseKind::recent);
  parameters.tiles_per_rank = 9;
  Scheduler scheduler(machine, parameters);
  constexpr std::int64_t one = 7, other = 8;
  scheduler.offer(3, 0, 2, one);
  EXPECT_EQ(ranks_in(scheduler, 0), (Ranks{0, 3}));
  scheduler.offer(3, 1, 2, other);
  EXPECT_EQ(ranks_in(scheduler, 1), (Ranks{1, 2})) << "the others have begun a series";
  for (std::int64_t unit = 2; unit < 8; unit += 2) {
    scheduler.offer(1, unit, 2, one);
    EXPECT_EQ(ranks_in(scheduler, unit), (Ranks{0, 3}));
    scheduler.offer(0, unit + 1, 2, other);
    EXPECT_EQ(ranks_in(scheduler, unit + 1), (Ranks{1, 2}));
    write_all(scheduler, unit);
  }
  scheduler.offer(3, 8, 1, one);
  EXPECT_EQ(ranks_in(scheduler, 8), Ranks{3}) << "of another number of slots: as a series that is not known";
}

TEST(Recent, ARankThatIsAlwaysEarlyHoldsNoMoreThanItsShareOfSeries) {
  constexpr int ranks = 4, variables = 20, together = 24, records = 3 * together;
  const Machine machine = nodes_of({ranks});
  Scheduler scheduler(machine, choosing(ChooseKind::recent));
  std::vector<int> held(ranks, 0);
  for (std::int64_t unit = 0; unit < records * variables; ++unit) {
    const std::int64_t record = unit / variables, var = unit % variables;
    scheduler.offer(3, unit, 1, 1 + var + variables * (record / together));
    ++held[static_cast<std::size_t>(ranks_in(scheduler, unit).front())];
    write_all(scheduler, unit);
  }
  EXPECT_EQ(held, std::vector<int>(ranks, records * variables / ranks));
}

TEST(Recent, AnotherRankStandsInForAHolderWithoutRoom) {
  const Machine machine = nodes_of({2});
  ScheduleParameters parameters = choosing(ChooseKind::recent);
  parameters.tiles_per_rank = 2;
  Scheduler scheduler(machine, parameters);
  for (std::int64_t unit = 0; unit < 3; ++unit) scheduler.offer(0, unit, 1, 7);
  EXPECT_EQ(ranks_in(scheduler, 0), Ranks{0});
  EXPECT_EQ(ranks_in(scheduler, 1), Ranks{0});
  EXPECT_EQ(ranks_in(scheduler, 2), Ranks{1}) << "0 is full";
  write_all(scheduler, 0);
  scheduler.offer(1, 3, 1, 7);
  EXPECT_EQ(ranks_in(scheduler, 3), Ranks{0}) << "it goes back";
}

TEST(Recent, AUnitOfASeriesWaitsForItsHolder) {
  const Machine machine = nodes_of({2});
  ScheduleParameters parameters = choosing(ChooseKind::recent);
  parameters.tiles_per_rank = 2;
  parameters.flush_after = 9;
  parameters.waits_for_holders = true;
  Scheduler scheduler(machine, parameters);
  for (std::int64_t unit = 0; unit < 3; ++unit) scheduler.offer(0, unit, 1, 7);
  EXPECT_EQ(said(scheduler), Words{"released 1"}) << "so that 0 may write";
  EXPECT_EQ(scheduler.slots(2), nullptr);
  scheduler.offer(1, 2, 1, 7);
  EXPECT_EQ(said(scheduler), Words{});
  write_all(scheduler, 1);
  EXPECT_EQ(said(scheduler), Words{"assigned 2"});
  EXPECT_EQ(ranks_in(scheduler, 2), Ranks{0});
}

// ---- warm

TEST(Warm, TakesWhatWasFreedLast) {
  const Machine machine = nodes_of({2, 2, 2});
  Scheduler scheduler(machine, choosing(ChooseKind::warm));
  scheduler.offer(5, 0, 3);
  EXPECT_EQ(ranks_in(scheduler, 0), (Ranks{0, 2, 4})) << "never used: nodes in turn";
  scheduler.offer(5, 1, 3);
  EXPECT_EQ(ranks_in(scheduler, 1), (Ranks{1, 3, 5}));
  scheduler.written(2, 0, 0);
  scheduler.written(0, 0, 0);
  scheduler.offer(5, 2, 3);
  EXPECT_EQ(ranks_in(scheduler, 2), (Ranks{0, 2, 4})) << "0, then 2, then the next place never used";
  EXPECT_EQ(scheduler.slots(2)->at(0).tile_buffer, 0) << "the place that was freed";
  EXPECT_EQ(scheduler.slots(2)->at(2).tile_buffer, 1);
}

TEST(Warm, AFreedPlaceIsUsedAtOnce) {
  const Machine machine = nodes_of({8, 8});
  Scheduler scheduler(machine, choosing(ChooseKind::warm));
  for (std::int64_t unit = 0; unit < 100; ++unit) {
    scheduler.offer(static_cast<int>(unit % 16), unit, 2);
    EXPECT_EQ(ranks_in(scheduler, unit), (Ranks{0, 8}));
    write_all(scheduler, unit);
  }
}

TEST(Warm, YieldsAtOnceWhereWaitingCannotHelp) {
  const Machine machine = nodes_of({3, 1});
  ScheduleParameters parameters = choosing(ChooseKind::warm);
  parameters.flush_after = 9;
  Scheduler scheduler(machine, parameters);
  scheduler.offer(0, 0, 2);
  EXPECT_EQ(ranks_in(scheduler, 0), (Ranks{0, 3}));
  scheduler.offer(0, 1, 2);
  EXPECT_EQ(ranks_in(scheduler, 1), (Ranks{1, 3})) << "one slot in a group yields before the nodes do";
  scheduler.offer(0, 2, 2);
  EXPECT_EQ(ranks_in(scheduler, 2), (Ranks{0, 2})) << "3 is full";
}

// ---- refused

TEST(Refused, AnotherNumberOfTiles) {
  const Machine machine = nodes_of({2});
  Scheduler scheduler(machine, {});
  scheduler.offer(0, 0, 2);
  std::string sentence;
  EXPECT_EQ(code_of([&] { scheduler.offer(1, 0, 3); }, &sentence), WEIR_EMISMATCH);
  EXPECT_NE(sentence.find("rank 1 offers unit 0"), std::string::npos) << sentence;
  EXPECT_EQ(code_of([&] { scheduler.offer(1, 0, 2); }), WEIR_OK) << "nothing has changed";
  EXPECT_EQ(ranks_in(scheduler, 0), (Ranks{0, 1}));
}

TEST(Refused, MoreTilesThanPlaces) {
  const Machine machine = nodes_of({2});
  for (const ChooseKind choose : {ChooseKind::arrival, ChooseKind::recent, ChooseKind::warm}) {
    Scheduler scheduler(machine, choosing(choose));
    EXPECT_EQ(code_of([&] { scheduler.offer(0, 0, 5); }), WEIR_EARGUMENT);
    EXPECT_EQ(code_of([&] { scheduler.offer(0, 0, -1); }), WEIR_EARGUMENT);
    for (const int rank : {0, 1}) scheduler.offer(rank, 0, 4);
    EXPECT_EQ(ranks_in(scheduler, 0).size(), 4U) << "as many as places";
  }
}

TEST(Refused, ParametersOutOfRange) {
  const Machine machine = nodes_of({2});
  const auto made = [&](ScheduleParameters parameters) {
    return code_of([&] { const Scheduler scheduler(machine, parameters); });
  };
  EXPECT_EQ(made({}), WEIR_OK);
  EXPECT_EQ(made(choosing(ChooseKind::automatic)), WEIR_EARGUMENT);
  EXPECT_EQ(made({.writers_per_node = 0}), WEIR_EARGUMENT);
  EXPECT_EQ(made({.flush_after = 0}), WEIR_EARGUMENT);
  EXPECT_EQ(made({.tiles_per_rank = 0}), WEIR_EARGUMENT);
  EXPECT_EQ(code_of([] {
              const Machine none;
              const Scheduler scheduler(none, {});
            }),
            WEIR_EARGUMENT);
}

}  // namespace
}  // namespace weir
