// ranks: 4 7
// SPDX-License-Identifier: Apache-2.0
// A restart that is read, and the same simulated: storage is asked for the same bytes, by as many openings, whether
// hosts or owners read, in memory for all and for little.
#include <gtest/gtest.h>
#include <mpi.h>
#include <weir/weir.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "machines.hpp"
#include "simulate/reading.hpp"
#include "workloads/restart.hpp"

namespace {

namespace fs = std::filesystem;
using weir::workloads::Description;
using weir::workloads::Part;

class ReadingMpiTest : public testing::Test {
 protected:
  ReadingMpiTest() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    path_ = (fs::temp_directory_path() / "simulated_restart.nc").string();
  }
  ~ReadingMpiTest() override {
    if (rank_ == 0) fs::remove(path_);
  }
  void start(const std::string& config) {
    ASSERT_EQ(weir_init(MPI_COMM_WORLD, config.c_str(), &model_, &weir_), WEIR_OK) << weir_init_error();
  }
  void end() {
    EXPECT_EQ(weir_finalize(&weir_), WEIR_OK) << weir_init_error();
    MPI_Comm_free(&model_);
  }
  void check(int code) const { ASSERT_EQ(code, WEIR_OK) << weir_error(weir_); }

  // Values do not matter here, and are none.
  void make(const Description& work) {
    start("strategy: serial\ndurability: cache\n");
    weir_file* file = nullptr;
    check(weir_create(weir_, path_.c_str(), WEIR_CDF5, &file));
    std::vector<int> dims(work.dimensions.size());
    for (std::size_t d = 0; d < dims.size(); ++d)
      check(weir_def_dim(file, work.dimensions[d].name.c_str(), work.dimensions[d].length, &dims[d]));
    for (const auto& variable : work.variables) {
      std::vector<int> own;
      for (const int dim : variable.dims) own.push_back(dims[static_cast<std::size_t>(dim)]);
      int number = -1;
      check(
          weir_def_var(file, variable.name.c_str(), variable.type, static_cast<int>(own.size()), own.data(), &number));
    }
    check(weir_enddef(file));
    check(weir_close(file));
    end();
  }

  nlohmann::json read(const Description& work, const std::string& config) {
    start(config);
    weir_file* file = nullptr;
    check(weir_open(weir_, path_.c_str(), WEIR_NOWRITE, &file));
    std::vector<int> layouts;
    for (const auto& decomposition : work.decompositions) {
      const Part part = decomposition.part(rank_);
      check(weir_def_layout(weir_, static_cast<int>(part.start.size()), decomposition.shape.data(), 1,
                            part.start.data(), part.count.data(), nullptr, &layouts.emplace_back()));
    }
    for (std::size_t v = 0; v < work.variables.size(); ++v) {
      const auto& variable = work.variables[v];
      const auto number = static_cast<std::size_t>(variable.decomposition);
      std::int64_t elements = 1;
      for (const std::int64_t count : work.decompositions[number].part(rank_).count) elements *= count;
      std::vector<double> values(static_cast<std::size_t>(elements));
      check(weir_get(file, static_cast<int>(v), 0, layouts[number], WEIR_DOUBLE, values.data()));
    }
    const char* text = "{}";
    check(weir_report(weir_, &text));
    const auto told = nlohmann::json::parse(text);
    check(weir_close(file));
    end();
    return told["reading"];
  }

  int rank_ = 0, ranks_ = 1;
  std::string path_;
  weir_t* weir_ = nullptr;
  MPI_Comm model_ = MPI_COMM_NULL;
};

TEST_F(ReadingMpiTest, AsksStorageForWhatIsPredicted) {
  for (const double scale : {0.01, 0.25}) {
    const weir::workloads::Request request{"restart", ranks_, scale};
    const Description work = weir::workloads::describe_restart(request);
    make(work);
    weir::simulate::WorkloadRequest simulated;
    static_cast<weir::workloads::Request&>(simulated) = request;
    for (const std::string more : {"strategy: remap\n", "strategy: dynamic\n", "strategy: rows\nbuffer_limit: 2MiB\n",
                                   "strategy: remap\nwriters_per_host: 2\n"})
      for (const int each : {2, 3}) {
        const std::string config = more + "debug.ranks_per_host: " + std::to_string(each) + "\n";
        SCOPED_TRACE(config + "scale " + std::to_string(scale));
        const auto told = read(work, config);
        const auto predicted =
            weir::simulate::simulate_reading(weir::simulate::tests::plain(), weir::simulate::make_workload(simulated),
                                             weir::simulate::tests::with(config), {ranks_, false, {}});
        EXPECT_EQ(told["bytes_read"], predicted.bytes_read);
        EXPECT_EQ(told["opens"], predicted.opens);
      }
  }
}

}  // namespace
