// ranks: 1 4 5
// SPDX-License-Identifier: Apache-2.0
// A netCDF-4 file is read by any count of ranks, under any strategy, to the bit: of Weir, from any strategy, in random
// chunks through random filters, and of nccopy, whose chunks may hold several records. Random models, for some seconds;
// WEIR_TEST_SEED=N replays one.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "conformance/model_reader.hpp"
#include "conformance/packed_model.hpp"

namespace {

using conformance::draw;
using conformance::Model;
using conformance::Random;

constexpr auto time_for_models = std::chrono::seconds(6);

class Netcdf4Reading : public testing::Test {
 protected:
  Netcdf4Reading() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    path_ = std::filesystem::temp_directory_path().string() + "/packed.nc";
  }

  std::uint64_t from_rank_0(std::uint64_t value) const {
    MPI_Bcast(&value, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    return value;
  }

  // A file that netCDF-C has made, of the classic one that Weir has.
  std::string copy_by_netcdf(const Model& model, Random random) const {
    std::string options = " -k nc4";
    if (conformance::happens(random, 60)) options += " -d " + std::to_string(draw(random, 0, 9));
    if (conformance::happens(random, 50)) options += " -s";
    std::string chunks;
    for (const auto& [name, length] : model.dims)
      if (conformance::happens(random, 50))
        chunks += (chunks.empty() ? " -c " : ",") + name + "/" +
                  std::to_string(draw(random, 1, length == WEIR_UNLIMITED ? 3 : length));
    const std::string command = "nccopy" + options + chunks + " '" + path_ + ".classic' '" + path_ + "'";
    const bool well = from_rank_0(rank_ != 0 || std::system(command.c_str()) == 0 ? 1 : 0) == 1;
    return well ? "" : command + " failed";
  }

  std::string write(Model& model, Random& random) const {
    static const char* const strategies[] = {"collective", "rows", "columns", "remap", "serial", "dynamic"};
    const std::string config =
        std::string("strategy: ") + strategies[draw(random, 0, 5)] +
        "\ndurability: cache\nbundle_size: 0\ndebug.ranks_per_host: " + std::to_string(draw(random, 1, 5)) + "\n";
    if (conformance::happens(random, 60)) {
      conformance::pack(model, WEIR_NETCDF4, model.seed, true);
      return conformance::ModelRun(model, MPI_COMM_WORLD).write(config, path_);
    }
    const std::string failure = conformance::ModelRun(model, MPI_COMM_WORLD).write(config, path_ + ".classic");
    MPI_Barrier(MPI_COMM_WORLD);
    return failure.empty() ? copy_by_netcdf(model, random) : failure;
  }

  std::string try_model(std::uint64_t seed) const {
    Random random(seed);
    Model written = conformance::make_model(seed, ranks_);
    const std::string failure = write(written, random);
    if (!failure.empty()) return failure;
    MPI_Barrier(MPI_COMM_WORLD);
    const bool serve = ranks_ > 1 && conformance::happens(random, 15);
    const Model read = conformance::ModelMaker::deal_again(written, seed + 1, ranks_ - (serve ? 1 : 0));
    const std::string config = conformance::random_reading(random, serve);
    const auto expected = conformance::expect(written);
    const std::string found =
        conformance::ModelReader(read, expected, written.records(), MPI_COMM_WORLD).read(path_, config);
    MPI_Barrier(MPI_COMM_WORLD);
    return found.empty() ? "" : found + " (read by: " + config + ")";
  }

  int rank_ = 0, ranks_ = 1;
  std::string path_;
};

TEST_F(Netcdf4Reading, HandsOutWhatTheFileHolds) {
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

}  // namespace
