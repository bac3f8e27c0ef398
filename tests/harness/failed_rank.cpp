// SPDX-License-Identifier: Apache-2.0
// Tests that fail on the last rank alone: tests/cli/failed_rank.sh says what the common main() of MPI tests makes of
// it.
#include <gtest/gtest.h>
#include <mpi.h>

namespace {

bool is_last() {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return rank == ranks - 1;
}

TEST(FailedRank, Expects) {
  EXPECT_FALSE(is_last()) << "an expectation";
  MPI_Barrier(MPI_COMM_WORLD);
}

// The others wait for it.
TEST(FailedRank, Leaves) {
  ASSERT_FALSE(is_last()) << "an assertion";
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(FailedRank, Passes) {
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace
