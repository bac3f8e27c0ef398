// ranks: 1 4
// timeout: 240
// SPDX-License-Identifier: Apache-2.0
// netCDF-4: random models in random chunks through random filters, under every strategy, on one host and on several.
// Stock netCDF reads them: nccopy makes classic files of them, and PnetCDF compares these with what the model expects.
#include <gtest/gtest.h>
#include <mpi.h>
#include <pnetcdf.h>
#include <weir/weir.h>

#include <cstdlib>
#include <filesystem>

#include "conformance/model_file.hpp"
#include "conformance/packed_model.hpp"

namespace conformance {
namespace {

namespace fs = std::filesystem;

struct Way {
  const char* name;
  const char* config;
  int spare;  // ranks that serve
};

constexpr Way packed_ways[] = {
    {"serial", "strategy: serial\n", 0},
    {"collective", "strategy: collective\n", 0},
    {"rows", "strategy: rows\n", 0},
    {"columns", "strategy: columns\noverlap: background\n", 0},
    {"remap", "strategy: remap\nwriters_per_host: 2\n", 0},
    {"remap_small_memory", "strategy: remap\nbuffer_limit: 1MiB\noverlap: background\n", 0},
    {"remap_hosts", "strategy: remap\ndebug.ranks_per_host: 2\ndebug.forward: messages\n", 0},
    {"dynamic", "strategy: dynamic\nwriters_per_variable: 2\noverlap: background\n", 0},
    {"dynamic_hosts", "strategy: dynamic\ndebug.ranks_per_host: 1\n", 0},
    {"dynamic_rank", "strategy: dynamic\ncontrol: rank\n", 1},
    {"servers", "strategy: servers\n", 1}};

class Netcdf4 : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    if (ranks_ <= GetParam().spare) GTEST_SKIP() << "a rank serves";
    path_ = fs::temp_directory_path().string() + "/model.nc";
  }

  std::string read_by_netcdf(const Model& model) const {
    const std::string classic = path_ + ".classic";
    const std::string command = "nccopy -k cdf5 '" + path_ + "' '" + classic + "'";
    if (std::system(command.c_str()) != 0) return "nccopy does not read it";
    return PnetcdfReader(classic).compare(model);
  }

  std::string path_;
  int rank_ = 0, ranks_ = 1;
};

// bundle_size: else such small variables would have one writer each, and none be cut.
TEST_P(Netcdf4, HoldsWhatWasPut) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Model model = make_model(seed * 100 + static_cast<std::uint64_t>(ranks_), ranks_ - GetParam().spare);
    // Debian's netCDF reads no zstd without a plugin; that is tried where Python reads (tests/python).
    pack(model, WEIR_NETCDF4, seed, false);
    const std::string failure =
        ModelRun(model, MPI_COMM_WORLD)
            .write(std::string(GetParam().config) + "timeout: 60\ndurability: cache\nbundle_size: 0\n", path_);
    EXPECT_EQ(failure, "") << "seed " << seed;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ == 0 && failure.empty()) {
      EXPECT_EQ(read_by_netcdf(model), "") << "seed " << seed;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (testing::Test::HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryWay, Netcdf4, testing::ValuesIn(packed_ways),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace conformance
