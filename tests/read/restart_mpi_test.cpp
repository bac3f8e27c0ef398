// ranks: 1 4 7 12
// SPDX-License-Identifier: Apache-2.0
// A file that some ranks wrote is read by others, at any count of ranks, under any strategy, in little memory or much,
// and in any memory type that holds the values: by layouts, by boxes of all ranks that overlap as they like, and by a
// rank alone. Random models (conformance/random_models.hpp).
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>

#include "conformance/model_reader.hpp"
#include "conformance/random_models.hpp"

namespace {

using conformance::draw;
using conformance::Model;
using conformance::Random;

constexpr int models = 10;

class RestartTest : public testing::Test {
 protected:
  RestartTest() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    path_ = std::filesystem::temp_directory_path().string() + "/restart.nc";
  }
  ~RestartTest() override {
    if (rank_ == 0) std::remove(path_.c_str());
  }

  // The first `writers` ranks write, the last `readers` ranks read.
  std::string try_model(std::uint64_t seed) {
    Random random(seed);
    const auto writers = static_cast<int>(draw(random, 1, ranks_));
    const bool serve = ranks_ > 1 && conformance::happens(random, 10);
    const auto readers = static_cast<int>(draw(random, 1, ranks_ - (serve ? 1 : 0)));
    const std::string config = conformance::random_reading(random, serve);
    const Model written = conformance::make_model(seed, writers);
    const Model read = conformance::ModelMaker::deal_again(written, seed + 1, readers);
    const auto expected = conformance::expect(written);
    std::string failure;
    with_ranks(rank_ < writers, [&](MPI_Comm comm) {
      failure = conformance::ModelRun(written, comm).write("strategy: remap\ndurability: cache\n", path_);
    });
    with_ranks(rank_ >= ranks_ - readers - (serve ? 1 : 0), [&](MPI_Comm comm) {
      if (failure.empty())
        failure = conformance::ModelReader(read, expected, written.records(), comm).read(path_, config);
    });
    return failure.empty() ? ""
                           : failure + " (" + std::to_string(writers) + " ranks wrote, " + std::to_string(readers) +
                                 " read by: " + config + ")";
  }

  template <class Work>
  void with_ranks(bool take_part, Work work) const {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, take_part ? 0 : MPI_UNDEFINED, rank_, &comm);
    if (comm != MPI_COMM_NULL) {
      work(comm);
      MPI_Comm_free(&comm);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }

  int rank_ = 0, ranks_ = 1;
  std::string path_;
};

TEST_F(RestartTest, OtherRanksReadWhatSomeWrote) {
  conformance::try_models(models, [&](std::uint64_t seed) { return try_model(seed); });
}

}  // namespace
