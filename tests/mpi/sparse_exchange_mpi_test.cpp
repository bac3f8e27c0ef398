// SPDX-License-Identifier: Apache-2.0
// ranks: 1 4 7
// A sparse exchange: what arrives is what was sent, whoever writes to whom, and a rank that does not come is a timeout.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "mpi/exchange.hpp"

namespace weir {
namespace {

using Words = std::vector<std::int64_t>;

// What `from` writes to `to` in a round of exchange; all ranks can say it.
bool writes(int round, int from, int to) {
  return std::mt19937(static_cast<unsigned>(round * 10007 + from * 101 + to))() % 3 == 0;
}

Words message(int round, int from, int to) {
  std::mt19937 random(static_cast<unsigned>(round * 7919 + from * 211 + to));
  Words words(random() % 5 == 0 ? 20000 : random() % 40);
  for (std::int64_t& word : words) word = static_cast<std::int64_t>(random()) << 20;
  return words;
}

Messages sorted(Messages list) {
  std::sort(list.begin(), list.end(), [](const Message& a, const Message& b) { return a.peer < b.peer; });
  return list;
}

TEST(Deliver, SparseMessagesOfManyRounds) {
  const Comm comm = Comm::duplicate(MPI_COMM_WORLD);
  for (int round = 0; round < 60; ++round) {
    Messages mine;
    for (int to = 0; to < comm.size(); ++to)
      if (writes(round, comm.rank(), to)) mine.push_back({to, message(round, comm.rank(), to)});
    const Messages received = sorted(deliver(comm, std::move(mine), 100 + round, Deadline(60), "test"));
    std::size_t at = 0;
    for (int from = 0; from < comm.size(); ++from) {
      if (!writes(round, from, comm.rank())) continue;
      ASSERT_LT(at, received.size());
      EXPECT_EQ(received[at].peer, from);
      EXPECT_EQ(received[at].words, message(round, from, comm.rank()));
      ++at;
    }
    EXPECT_EQ(at, received.size());
  }
}

TEST(Deliver, AllWriteToOne) {
  const Comm comm = Comm::duplicate(MPI_COMM_WORLD);
  const Messages received = sorted(deliver(comm, {{0, Words{comm.rank(), 5}}}, 1, Deadline(60), "test"));
  ASSERT_EQ(received.size(), comm.rank() == 0 ? static_cast<std::size_t>(comm.size()) : 0U);
  for (std::size_t from = 0; from < received.size(); ++from)
    EXPECT_EQ(received[from].words, (Words{static_cast<std::int64_t>(from), 5}));
}

TEST(Deliver, EmptyMessageIsAMessage) {
  const Comm comm = Comm::duplicate(MPI_COMM_WORLD);
  const int to = (comm.rank() + 1) % comm.size();
  const Messages received = deliver(comm, {{to, {}}}, 1, Deadline(60), "test");
  ASSERT_EQ(received.size(), 1U);
  EXPECT_TRUE(received[0].words.empty());
}

TEST(Deliver, NobodyWrites) {
  const Comm comm = Comm::duplicate(MPI_COMM_WORLD);
  EXPECT_TRUE(deliver(comm, {}, 1, Deadline(60), "test").empty());
}

TEST(Deliver, RankThatDoesNotComeIsATimeout) {
  Comm comm = Comm::duplicate(MPI_COMM_WORLD);
  if (comm.size() == 1) GTEST_SKIP() << "needs two ranks";
  const bool absent = comm.rank() == comm.size() - 1;
  if (!absent) {
    try {
      (void)deliver(comm, {}, 1, Deadline(0.3), "test");
      ADD_FAILURE() << "nobody was missed";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), WEIR_ETIMEOUT);
      EXPECT_EQ(std::string(error.what()).find("test: a rank did not reach this call within 0.3"), 0U) << error.what();
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  comm.abandon();
}

}  // namespace
}  // namespace weir
