// SPDX-License-Identifier: Apache-2.0
// Random models, one after another, alike on all ranks: some, the same each time. WEIR_TEST_SEED=N is one of them,
// WEIR_TEST_SECONDS=N others for so long, from a seed that is new each time.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

namespace conformance {

inline bool on_all_ranks(bool holds) {
  int all = holds ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all == 1;
}

// try_model(seed) says what is wrong; with the first one that something is wrong with, on any rank, it ends.
// Collective.
template <class Try>
void try_models(std::uint64_t usual, Try try_model) {
  const char* const seed = std::getenv("WEIR_TEST_SEED");
  const char* const seconds = std::getenv("WEIR_TEST_SECONDS");
  std::uint64_t first = seed ? std::strtoull(seed, nullptr, 10) : seconds ? std::random_device()() : 1;
  MPI_Bcast(&first, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  const double end = MPI_Wtime() + (seconds ? std::strtod(seconds, nullptr) : 0);
  std::uint64_t models = 0;
  for (bool more = true; more; more = on_all_ranks(seed ? false : seconds ? MPI_Wtime() < end : models < usual)) {
    const std::string failure = try_model(first + models);
    EXPECT_EQ(failure, "") << "WEIR_TEST_SEED=" << first + models;
    if (!on_all_ranks(!testing::Test::HasFailure())) return;
    ++models;
  }
  testing::Test::RecordProperty("models", static_cast<int>(models));
}

}  // namespace conformance
