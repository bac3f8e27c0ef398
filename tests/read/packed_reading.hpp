// SPDX-License-Identifier: Apache-2.0
// Random models in a format of chunks, read by any count of ranks, under any strategy, to the bit.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>

#include "conformance/model_reader.hpp"
#include "conformance/packed_model.hpp"
#include "conformance/random_models.hpp"

namespace conformance {

class PackedReading : public testing::Test {
 protected:
  static constexpr int models = 12;

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
    conformance::try_models(models, [&](std::uint64_t seed) { return try_model(seed); });
  }

  int rank_ = 0, ranks_ = 1;
  std::string path_;
};

}  // namespace conformance
