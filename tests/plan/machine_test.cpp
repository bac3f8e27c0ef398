// SPDX-License-Identifier: Apache-2.0
// Hosts and the writers chosen on them.
#include "plan/machine.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace weir {
namespace {

Machine random_machine() {
  const int ranks = *rc::gen::inRange(1, 40), hosts = *rc::gen::inRange(1, 9);
  std::vector<int> leaders;
  for (int rank = 0; rank < ranks; ++rank) leaders.push_back(100 - *rc::gen::inRange(0, hosts));
  return Machine::from_leaders(leaders);
}

TEST(Machine, NumbersHostsByTheirLowestRank) {
  const Machine machine = Machine::from_leaders({7, 3, 7, 5, 3});
  EXPECT_EQ(machine.host_of, (std::vector<int>{0, 1, 0, 2, 1}));
  EXPECT_EQ(machine.ranks_of, (std::vector<std::vector<int>>{{0, 2}, {1, 4}, {3}}));
  EXPECT_EQ(machine.ranks(), 5);
  EXPECT_EQ(machine.hosts(), 3);
  EXPECT_TRUE(machine.same_host(1, 4));
  EXPECT_FALSE(machine.same_host(0, 3));
  EXPECT_EQ(machine.neighbours(4), (std::vector<int>{1, 4}));
}

RC_GTEST_PROP(ChooseWriters, AsManyAsAskedForAndNoneTwice, ()) {
  const Machine machine = random_machine();
  const int count = *rc::gen::inRange(0, 50), per_host = *rc::gen::inRange(1, 8);
  const std::vector<int> writers = choose_writers(machine, count, per_host);
  int expected = 0;
  for (const auto& ranks : machine.ranks_of) expected += std::min(per_host, static_cast<int>(ranks.size()));
  if (count > 0) expected = std::min(count, machine.ranks());
  RC_ASSERT(static_cast<int>(writers.size()) == expected);
  RC_ASSERT(std::set<int>(writers.begin(), writers.end()).size() == writers.size());
  for (int writer : writers) RC_ASSERT(writer >= 0 && writer < machine.ranks());
}

RC_GTEST_PROP(ChooseWriters, EvenlyOnTheHostsAndInTheirOrder, ()) {
  const Machine machine = random_machine();
  const std::vector<int> writers = choose_writers(machine, *rc::gen::inRange(0, 50), *rc::gen::inRange(1, 8));
  std::vector<int> share(static_cast<std::size_t>(machine.hosts()), 0);
  int last_host = 0, last_writer = -1;
  for (int writer : writers) {
    const int host = machine.host_of[static_cast<std::size_t>(writer)];
    RC_ASSERT(host > last_host || (host == last_host && writer > last_writer));
    last_host = host;
    last_writer = writer;
    ++share[static_cast<std::size_t>(host)];
  }
  // A host has fewer than another by more than one only where it has no more ranks.
  const int most = *std::max_element(share.begin(), share.end());
  for (std::size_t host = 0; host < share.size(); ++host)
    RC_ASSERT(share[host] >= most - 1 || share[host] == static_cast<int>(machine.ranks_of[host].size()));
}

TEST(ChooseWriters, SpreadOverEachHostsRanks) {
  const Machine machine = Machine::from_leaders({0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8});
  EXPECT_EQ(choose_writers(machine, 0, 2), (std::vector<int>{0, 4, 8, 11}));
  EXPECT_EQ(choose_writers(machine, 3, 1), (std::vector<int>{0, 4, 8}));
  EXPECT_EQ(choose_writers(machine, 1, 4), (std::vector<int>{0}));
}

}  // namespace
}  // namespace weir
