// ranks: 1 4
// timeout: 240
// SPDX-License-Identifier: Apache-2.0
// Appending to netCDF-4 and Zarr: random models, of which one run puts a part and another run, by another strategy, the
// rest. To netCDF-4 into the file of the first one or what nccopy has made of it, whose chunks may hold several
// records, and netCDF reads it; folders of other libraries are appended to in tests/python/test_zarr_append.py.
#include <gtest/gtest.h>
#include <mpi.h>
#include <pnetcdf.h>
#include <weir/weir.h>

#include <cstdlib>
#include <filesystem>

#include "conformance/model_file.hpp"
#include "conformance/model_reader.hpp"
#include "conformance/packed_model.hpp"
#include "conformance/puts_allowed.hpp"

namespace conformance {
namespace {

namespace fs = std::filesystem;

constexpr const char* always = "timeout: 60\ndurability: cache\nbundle_size: 0\n";
constexpr const char* ways[] = {"strategy: serial\n",
                                "strategy: collective\nbuffer_limit: 1MiB\n",
                                "strategy: rows\noverlap: background\n",
                                "strategy: remap\ndebug.ranks_per_host: 2\ndebug.forward: messages\n",
                                "strategy: dynamic\nwriters_per_variable: 2\noverlap: background\n",
                                "strategy: dynamic\ndebug.ranks_per_host: 1\n"};

class Append : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    path_ = fs::temp_directory_path().string() + "/appended.nc";
  }

  // On rank 0; all of them know whether it was well.
  bool by_rank_0(const std::string& command) const {
    int well = rank_ != 0 || std::system(command.c_str()) == 0 ? 1 : 0;
    MPI_Bcast(&well, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return well == 1;
  }

  // Chunks of netCDF-C's own choice, or of some records each; filters of its own.
  bool copy_by_netcdf(const Model& model, Random& random) const {
    std::string options = " -k nc4";
    if (happens(random, 60)) options += " -d " + std::to_string(draw(random, 0, 9));
    if (happens(random, 50)) options += " -s";
    std::string chunks;
    for (const auto& [name, length] : model.dims)
      if (happens(random, 50))
        chunks += (chunks.empty() ? " -c " : ",") + name + "/" +
                  std::to_string(draw(random, 1, length == WEIR_UNLIMITED ? 3 : length));
    return by_rank_0("nccopy" + options + chunks + " '" + path_ + "' '" + path_ + ".copy' && mv '" + path_ +
                     ".copy' '" + path_ + "'");
  }

  std::string read_by_netcdf(const Model& model) const {
    const std::string classic = path_ + ".classic";
    if (std::system(("nccopy -k cdf5 '" + path_ + "' '" + classic + "'").c_str()) != 0)
      return "nccopy does not read it";
    return PnetcdfReader(classic).compare(model);
  }

  std::string path_;
  int rank_ = 0, ranks_ = 1;
};

TEST_P(Append, HoldsWhatBothRunsPut) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Random random(seed * 7 + static_cast<std::uint64_t>(GetParam()));
    Model model = make_model(seed * 1000 + static_cast<std::uint64_t>(ranks_ * 20 + GetParam()), ranks_);
    pack(model, WEIR_NETCDF4, seed, false);  // no zstd: Debian's netCDF reads none without a plugin
    const auto first = static_cast<std::size_t>(draw(random, 0, std::ssize(model.steps)));
    const bool foreign = happens(random, 50);
    keep_what_may_be_put(model, first);
    const std::string one = ways[draw(random, 0, std::ssize(ways) - 1)], other = ways[GetParam()];
    ASSERT_EQ(ModelRun(model, MPI_COMM_WORLD).run(one + always, path_, {false, 0, first}), "") << "seed " << seed;
    ASSERT_TRUE(!foreign || copy_by_netcdf(model, random)) << "seed " << seed;
    ASSERT_EQ(ModelRun(model, MPI_COMM_WORLD).run(other + always, path_, {true, first, model.steps.size()}), "")
        << "seed " << seed << (foreign ? ", a copy of netCDF's" : "");
    if (foreign) model.fill = WEIR_NOFILL;  // nccopy makes variables without fill values
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ == 0) {
      EXPECT_EQ(read_by_netcdf(model), "") << "seed " << seed << (foreign ? ", a copy of netCDF's" : "");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (testing::Test::HasFailure()) return;
  }
}

TEST_P(Append, HoldsWhatBothRunsPutInAFolder) {
  const std::string path = path_ + ".zarr";
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Random random(seed * 7 + static_cast<std::uint64_t>(GetParam()));
    Model model = make_model(seed * 2000 + static_cast<std::uint64_t>(ranks_ * 20 + GetParam()), ranks_);
    pack(model, WEIR_ZARR, seed, true);
    const auto first = static_cast<std::size_t>(draw(random, 0, std::ssize(model.steps)));
    keep_what_may_be_put(model, first);
    const std::string one = ways[draw(random, 0, std::ssize(ways) - 1)], other = ways[GetParam()];
    ASSERT_EQ(ModelRun(model, MPI_COMM_WORLD).run(one + always, path, {false, 0, first}), "") << "seed " << seed;
    ASSERT_EQ(ModelRun(model, MPI_COMM_WORLD).run(other + always, path, {true, first, model.steps.size()}), "")
        << "seed " << seed;
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(ModelReader(model, expect(model), model.records(), MPI_COMM_WORLD).read(path, one + always), "")
        << "seed " << seed;
    MPI_Barrier(MPI_COMM_WORLD);
    if (testing::Test::HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryWay, Append, testing::Range(0, static_cast<int>(std::size(ways))));

}  // namespace
}  // namespace conformance
