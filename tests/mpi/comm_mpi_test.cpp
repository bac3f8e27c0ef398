// SPDX-License-Identifier: Apache-2.0
// ranks: 1 4 7
// Communicators and the few collectives that Weir uses.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "mpi/comm.hpp"

namespace weir {
namespace {

class CommTest : public testing::Test {
 protected:
  CommTest() : comm_(Comm::duplicate(MPI_COMM_WORLD)) {}
  int rank() const { return comm_.rank(); }
  int size() const { return comm_.size(); }

  Comm comm_;
  const Deadline deadline_{60};
};

TEST_F(CommTest, DuplicateIsAnotherCommunicatorOfTheSameRanks) {
  int same = MPI_UNEQUAL;
  MPI_Comm_compare(comm_.raw(), MPI_COMM_WORLD, &same);
  EXPECT_EQ(same, MPI_CONGRUENT);
}

TEST_F(CommTest, ErrorsAreReturned) {
  const int number = 1;
  try {
    check_mpi(MPI_Send(&number, 1, MPI_INT, size() + 3, 0, comm_.raw()), "MPI_Send");
    FAIL() << "a rank that does not exist was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), WEIR_EMPI);
    EXPECT_EQ(std::string(error.what()).find("MPI_Send failed: "), 0U) << error.what();
  }
}

TEST_F(CommTest, HostHoldsThisRankInTheOrderOfRanks) {
  const Comm host = Comm::of_host(comm_);
  const std::vector<int> ranks = allgather(host, rank(), deadline_, "test");
  EXPECT_EQ(ranks.at(static_cast<std::size_t>(host.rank())), rank());
  EXPECT_TRUE(std::is_sorted(ranks.begin(), ranks.end()));
}

TEST_F(CommTest, SplitByColor) {
  const Comm part = comm_.split(rank() % 2);
  EXPECT_EQ(part.rank(), rank() / 2);
  EXPECT_EQ(part.size(), (size() + 1 - rank() % 2) / 2);
}

TEST_F(CommTest, MovedCommunicatorIsGivenUp) {
  Comm other = std::move(comm_);
  EXPECT_EQ(comm_.raw(), MPI_COMM_NULL);
  comm_ = std::move(other);
  EXPECT_EQ(allgather(comm_, rank(), deadline_, "test").size(), static_cast<std::size_t>(size()));
}

TEST_F(CommTest, Reductions) {
  std::vector<std::int64_t> largest{rank(), -rank(), std::int64_t{1} << 62}, sum{rank(), 1};
  allreduce_max(comm_, largest, deadline_, "test");
  allreduce_sum(comm_, sum, deadline_, "test");
  EXPECT_EQ(largest, (std::vector<std::int64_t>{size() - 1, 0, std::int64_t{1} << 62}));
  EXPECT_EQ(sum, (std::vector<std::int64_t>{size() * (size() - 1) / 2, size()}));
}

TEST_F(CommTest, BroadcastFromEveryRank) {
  for (int root = 0; root < size(); ++root) {
    std::vector<std::byte> bytes(rank() == root ? 1000U + static_cast<std::size_t>(root) : 3U, std::byte(root));
    broadcast(comm_, bytes, root, deadline_, "test");
    EXPECT_EQ(bytes, std::vector<std::byte>(1000U + static_cast<std::size_t>(root), std::byte(root)));
    const std::string text = rank() == root ? "of rank " + std::to_string(root) : "";
    EXPECT_EQ(broadcast_value(comm_, text, root, deadline_, "test"), "of rank " + std::to_string(root));
  }
  EXPECT_EQ(broadcast_value(comm_, std::string(), 0, deadline_, "test"), "");
}

TEST_F(CommTest, AllgatherIsInRankOrder) {
  const std::vector<int> values = allgather(comm_, 3 * rank() + 1, deadline_, "test");
  for (int r = 0; r < size(); ++r) EXPECT_EQ(values.at(static_cast<std::size_t>(r)), 3 * r + 1);
}

TEST_F(CommTest, WaitIsOverAtItsDeadline) {
  int number = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  ASSERT_EQ(MPI_Irecv(&number, 1, MPI_INT, rank(), 77, comm_.raw(), &request), MPI_SUCCESS);
  try {
    wait_all(std::span(&request, 1), Deadline(0.1), "waiting for \"sst\"");
    ADD_FAILURE() << "nothing was missed";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), WEIR_ETIMEOUT);
    EXPECT_EQ(std::string(error.what()).find("waiting for \"sst\": a rank did not reach this call within 0.1"), 0U)
        << error.what();
  }
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

TEST_F(CommTest, MessagesOfAPairComeInTheirOrderAndMayBeEmpty) {
  const std::vector<std::byte> long_one(100000, std::byte{7});
  if (rank() > 0) {
    send(comm_, {}, 0, deadline_, "test");
    send(comm_, long_one, 0, deadline_, "test");
    send(comm_, std::as_bytes(std::span("ab", 2)), 0, deadline_, "test");
    return;
  }
  for (int other = size() - 1; other > 0; --other) {
    std::vector<std::byte> received(long_one.size());
    char text[2] = {};
    receive(comm_, {}, other, deadline_, "test");
    receive(comm_, received, other, deadline_, "test");
    receive(comm_, std::as_writable_bytes(std::span(text)), other, deadline_, "test");
    EXPECT_EQ(received, long_one);
    EXPECT_EQ(std::string(text, 2), "ab");
  }
}

}  // namespace
}  // namespace weir
