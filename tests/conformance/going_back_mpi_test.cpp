// ranks: 1 4
// timeout: 240
// SPDX-License-Identifier: Apache-2.0
// Going back to fewer records, in all formats: random models, of which one run puts a part. Another run, by another
// strategy, opens the file at fewer records and puts the rest. The file holds what a file holds that never had the
// records: of a netCDF-4 file also where nccopy has made it, with several records in a chunk.
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

constexpr const char* of_all_runs = "timeout: 60\ndurability: cache\nbundle_size: 0\n";
constexpr const char* manners[] = {"strategy: serial\n",
                                   "strategy: collective\nbuffer_limit: 1MiB\n",
                                   "strategy: rows\noverlap: background\n",
                                   "strategy: remap\ndebug.ranks_per_host: 2\ndebug.forward: messages\n",
                                   "strategy: dynamic\nwriters_per_variable: 2\noverlap: background\n",
                                   "strategy: dynamic\ndebug.ranks_per_host: 1\n"};

class GoingBack : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    path_ = fs::temp_directory_path().string() + "/goes_back";
  }

  std::uint64_t seed_of(std::uint64_t number) const {
    return number * 3000 + static_cast<std::uint64_t>(ranks_ * 20 + GetParam());
  }

  // What a file would be told that never had the records from `records` on: of the first steps those before, and then
  // the others. Returns how many steps come first.
  static std::size_t forget(Model& model, std::size_t first, std::int64_t records) {
    std::vector<Step> steps;
    std::size_t kept = 0;
    for (std::size_t s = 0; s < model.steps.size(); ++s) {
      Step step = model.steps[s];
      const bool record = step.var >= 0 && model.variables[static_cast<std::size_t>(step.var)].record;
      if (s < first && record && step.record >= records) continue;
      if (s < first && record) step.records = std::min(step.records, records - step.record);
      steps.push_back(step);
      kept += s < first ? 1 : 0;
    }
    model.steps = std::move(steps);
    model.least_records = records;
    return kept;
  }

  // On rank 0; all of them know whether it was well.
  bool by_rank_0(const std::string& command) const {
    int well = rank_ != 0 || std::system(command.c_str()) == 0 ? 1 : 0;
    MPI_Bcast(&well, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return well == 1;
  }

  // By netCDF, with several records in a chunk.
  bool copy_by_netcdf(const Model& model, const std::string& path, Random& random) const {
    std::string options = " -k nc4";
    if (happens(random, 60)) options += " -d " + std::to_string(draw(random, 0, 9));
    std::string chunks;
    for (const auto& [name, length] : model.dims)
      if (length == WEIR_UNLIMITED || happens(random, 40))
        chunks += (chunks.empty() ? " -c " : ",") + name + "/" +
                  std::to_string(length == WEIR_UNLIMITED ? draw(random, 2, 5) : draw(random, 1, length));
    return by_rank_0("nccopy" + options + chunks + " '" + path + "' '" + path + ".copy' && mv '" + path + ".copy' '" +
                     path + "'");
  }

  // Writes the model's first part, goes back, and writes the rest. Changes the model to what the file must hold.
  // Returns what is wrong.
  template <class Between>
  std::string write(Model& model, const std::string& path, Random& random, Between between) const {
    const auto first = static_cast<std::size_t>(draw(random, 0, std::ssize(model.steps)));
    const std::string one = manners[draw(random, 0, std::ssize(manners) - 1)], other = manners[GetParam()];
    if (std::string wrong = ModelRun(model, MPI_COMM_WORLD).run(one + of_all_runs, path, {false, 0, first});
        !wrong.empty())
      return wrong;
    if (!between()) return "nothing was done between the runs";
    Model before = model;
    before.steps.resize(first);
    const std::int64_t records = draw(random, 0, before.records());
    const std::size_t kept = forget(model, first, records);
    if (model.mode & (WEIR_NETCDF4 | WEIR_ZARR)) keep_what_may_be_put(model, kept);
    return ModelRun(model, MPI_COMM_WORLD).run(other + of_all_runs, path, {true, kept, model.steps.size(), records});
  }

  // Rank 0 reads it by PnetCDF.
  void expect_held(const Model& model, const std::string& path, const std::string& what) const {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ == 0) {
      EXPECT_EQ(PnetcdfReader(path).compare(model), "") << what;
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }

  std::string path_;
  int rank_ = 0, ranks_ = 1;
};

TEST_P(GoingBack, AClassicFileForgetsRecords) {
  const std::string path = path_ + ".nc";
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Random random(seed * 7 + static_cast<std::uint64_t>(GetParam()));
    Model model = make_model(seed_of(seed), ranks_);
    ASSERT_EQ(write(model, path, random, [] { return true; }), "") << "seed " << seed;
    expect_held(model, path, "seed " + std::to_string(seed));
    EXPECT_FALSE(fs::exists(fs::temp_directory_path() / ".goes_back.nc.journal.weir")) << "seed " << seed;
    if (testing::Test::HasFailure()) return;
  }
}

TEST_P(GoingBack, ANetcdf4FileForgetsRecords) {
  const std::string path = path_ + ".nc4";
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Random random(seed * 11 + static_cast<std::uint64_t>(GetParam()));
    Model model = make_model(seed_of(seed), ranks_);
    pack(model, WEIR_NETCDF4, seed, false);  // no zstd: Debian's netCDF reads none without a plugin
    const bool foreign = happens(random, 50);
    const auto between = [&] { return !foreign || copy_by_netcdf(model, path, random); };
    const std::string what = "seed " + std::to_string(seed) + (foreign ? ", a copy of netCDF's" : "");
    ASSERT_EQ(write(model, path, random, between), "") << what;
    if (foreign) model.fill = WEIR_NOFILL;  // nccopy makes variables without fill values
    ASSERT_TRUE(by_rank_0("nccopy -k cdf5 '" + path + "' '" + path_ + ".classic'")) << what;
    expect_held(model, path_ + ".classic", what);
    if (testing::Test::HasFailure()) return;
  }
}

TEST_P(GoingBack, AZarrFolderForgetsRecords) {
  const std::string path = path_ + ".zarr";
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Random random(seed * 13 + static_cast<std::uint64_t>(GetParam()));
    Model model = make_model(seed_of(seed), ranks_);
    pack(model, WEIR_ZARR, seed, true);
    ASSERT_EQ(write(model, path, random, [] { return true; }), "") << "seed " << seed;
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(ModelReader(model, expect(model), model.records(), MPI_COMM_WORLD)
                  .read(path, std::string("strategy: remap\n") + of_all_runs),
              "")
        << "seed " << seed;
    MPI_Barrier(MPI_COMM_WORLD);
    if (testing::Test::HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryManner, GoingBack, testing::Range(0, static_cast<int>(std::size(manners))));

}  // namespace
}  // namespace conformance
