// ranks: 1 4 7 12
// SPDX-License-Identifier: Apache-2.0
// All strategies that end in one file write the same bytes, and these are what the model put. Random models
// (random_models.hpp), each under `serial` and then under several other configurations.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>

#include "conformance/model_file.hpp"
#include "conformance/random_models.hpp"

namespace {

using conformance::draw;
using conformance::happens;
using conformance::Model;
using conformance::ModelRun;
using conformance::Random;

constexpr int models = 5;
constexpr int variations_of_a_model = 4;

class IdentityTest : public testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    const std::string base = std::filesystem::temp_directory_path().string() + "/identity_" + std::to_string(ranks_);
    reference_ = base + "_serial.nc";
    path_ = base + "_other.nc";
  }

  void TearDown() override {
    if (rank_ != 0) return;
    std::remove(reference_.c_str());
    std::remove(path_.c_str());
  }

  std::string random_configuration(Random& random) const {
    static const char* const strategies[] = {"collective", "rows",  "columns", "remap",
                                             "remap",      "remap", "serial",  "auto"};
    std::string text =
        std::string("durability: cache\ntuned: none\nstrategy: ") + strategies[draw(random, 0, 7)] + "\n";
    if (happens(random, 70)) {
      const std::int64_t writers[] = {1, 2, 3, ranks_ + 5};
      text += "writers: " + std::to_string(writers[draw(random, 0, 3)]) + "\n";
    } else if (happens(random, 50)) {
      text += "writers_per_host: " + std::to_string(draw(random, 1, 3)) + "\n";
    }
    if (happens(random, 60))
      text += std::string("debug.forward: ") + (happens(random, 50) ? "shared" : "messages") + "\n";
    if (happens(random, 60)) text += "debug.ranks_per_host: " + std::to_string(draw(random, 1, 3)) + "\n";
    if (happens(random, 70)) text += std::string("sink: ") + (happens(random, 60) ? "direct" : "pnetcdf") + "\n";
    if (happens(random, 60)) text += "buffer_limit: 64KiB\n";
    if (happens(random, 40)) text += "bundle_size: " + std::to_string(draw(random, 0, 1) * 500) + "\n";
    static const char* const stripes[] = {"64KiB", "4096", "512", "1000"};
    if (happens(random, 60)) text += std::string("stripe_size: ") + stripes[draw(random, 0, 3)] + "\n";
    return text;
  }

  // One file, and what is wrong with it.
  std::string write(const Model& model, const std::string& configuration, const std::string& path) const {
    std::string failure = ModelRun(model, MPI_COMM_WORLD).write(configuration, path);
    MPI_Barrier(MPI_COMM_WORLD);
    if (failure.empty() && rank_ == 0 && path != reference_)
      failure = conformance::difference_of_files(path, reference_);
    if (failure.empty() && rank_ == 0 && path == reference_) failure = conformance::PnetcdfReader(path).compare(model);
    return failure;
  }

  std::string try_model(std::uint64_t seed) {
    const Model model = conformance::make_model(seed, ranks_);
    Random random(seed ^ 0x5eed);
    for (int variation = 0; variation <= variations_of_a_model; ++variation) {
      const std::string configuration =
          variation == 0 ? "durability: cache\nstrategy: serial\n" : random_configuration(random);
      const std::string failure = write(model, configuration, variation == 0 ? reference_ : path_);
      if (!conformance::on_all_ranks(failure.empty())) return failure + " with\n" + configuration;
    }
    return "";
  }

  int rank_ = 0, ranks_ = 1;
  std::string reference_, path_;
};

TEST_F(IdentityTest, EveryStrategyWritesTheSameBytes) {
  conformance::try_models(models, [&](std::uint64_t seed) { return try_model(seed); });
}

}  // namespace
