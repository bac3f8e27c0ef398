// SPDX-License-Identifier: Apache-2.0
// Random models in a format of chunks, read by any count of ranks, under any strategy, to the bit. For some seconds;
// WEIR_TEST_SEED=N replays one.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "conformance/model_reader.hpp"
#include "conformance/packed_model.hpp"

namespace conformance {

class PackedReading : public testing::Test {
 protected:
  static constexpr auto time_for_models = std::chrono::seconds(6);

  explicit PackedReading(const char* name) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    path_ = std::filesystem::temp_directory_path().string() + "/" + name;
  }

  // Makes the file at path_. Returns why it could not.
  virtual std::string write(Model& model, Random& random) const = 0;

  static std::string random_writing(Random& random) {
    static const char* const strategies[] = {"collective", "rows", "columns", "remap", "serial", "dynamic"};
    return std::string("strategy: ") + strategies[draw(random, 0, 5)] +
           "\ndurability: cache\nbundle_size: 0\ndebug.ranks_per_host: " + std::to_string(draw(random, 1, 5)) + "\n";
  }

  std::uint64_t from_rank_0(std::uint64_t value) const {
    MPI_Bcast(&value, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    return value;
  }

  std::string try_model(std::uint64_t seed) const {
    Random random(seed);
    Model written = make_model(seed, ranks_);
    const std::string failure = write(written, random);
    if (!failure.empty()) return failure;
    MPI_Barrier(MPI_COMM_WORLD);
    const bool serve = ranks_ > 1 && happens(random, 15);
    const Model read = ModelMaker::deal_again(written, seed + 1, ranks_ - (serve ? 1 : 0));
    const std::string config = random_reading(random, serve);
    const auto expected = expect(written);
    const std::string found = ModelReader(read, expected, written.records(), MPI_COMM_WORLD).read(path_, config);
    MPI_Barrier(MPI_COMM_WORLD);
    return found.empty() ? "" : found + " (read by: " + config + ")";
  }

  void try_models() const {
    if (const char* given = std::getenv("WEIR_TEST_SEED")) {
      EXPECT_EQ(try_model(std::strtoull(given, nullptr, 10)), "");
      return;
    }
    const std::uint64_t first = from_rank_0(std::random_device()());
    const auto end = std::chrono::steady_clock::now() + time_for_models;
    for (std::uint64_t models = 0; models < 3 || from_rank_0(std::chrono::steady_clock::now() < end ? 1 : 0) == 1;
         ++models) {
      const std::string failure = try_model(first + models);
      EXPECT_EQ(failure, "") << "WEIR_TEST_SEED=" << first + models;
      int well = failure.empty() ? 1 : 0;
      MPI_Allreduce(MPI_IN_PLACE, &well, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
      if (!well) return;
    }
  }

  int rank_ = 0, ranks_ = 1;
  std::string path_;
};

}  // namespace conformance
