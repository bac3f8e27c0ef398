// ranks: 1 4 7
// SPDX-License-Identifier: Apache-2.0
// `strategy: auto` under a model: the file is the one that serial writes, the report tells every change of mind, and
// the next run begins with what this one found.
#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>
#include <weir/weir.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "advice/tuned_table.hpp"
#include "base/host.hpp"

namespace weir {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t rows_of_a_rank = 64, columns = 512;

class Auto : public testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    folder_ = fs::temp_directory_path() / "weir_auto";
    if (rank_ == 0) {
      fs::remove_all(folder_);
      fs::create_directories(folder_);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  void TearDown() override {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ == 0) fs::remove_all(folder_);
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  // A run of a model: so many files with so many records of three variables, with a sync after each record or not.
  struct Run {
    int files = 1;
    std::int64_t records = 12;
    bool sync = false;
    double compute_seconds = 0;
  };

  // Returns the report.
  nlohmann::json model(const std::string& config, const std::string& name, Run run) {
    MPI_Comm comm = MPI_COMM_NULL;
    weir_t* weir = nullptr;
    EXPECT_EQ(weir_init(MPI_COMM_WORLD, ("durability: cache\ntimeout: 60\n" + config).c_str(), &comm, &weir), WEIR_OK)
        << weir_init_error();
    if (!weir) {  // was kept for the scheduler
      MPI_Barrier(MPI_COMM_WORLD);
      return {};
    }
    for (int f = 0; f < run.files; ++f) write(weir, comm, name + std::to_string(f), f, run);
    const char* text = nullptr;
    EXPECT_EQ(weir_report(weir, &text), WEIR_OK) << weir_error(weir);
    const nlohmann::json report = text ? nlohmann::json::parse(text) : nlohmann::json();
    EXPECT_EQ(weir_finalize(&weir), WEIR_OK) << weir_init_error();
    MPI_Comm_free(&comm);
    MPI_Barrier(MPI_COMM_WORLD);
    return report;
  }

  static std::string contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  void expect_same_files(const std::string& a, const std::string& b, int files) const {
    if (rank_ != 0) return;
    for (int f = 0; f < files; ++f) {
      const std::string of_a = contents(path(a + std::to_string(f))), of_b = contents(path(b + std::to_string(f)));
      EXPECT_FALSE(of_a.empty());
      EXPECT_TRUE(of_a == of_b) << a << f << " and " << b << f << " differ";
    }
  }
  static std::string lines(const nlohmann::json& report) {
    std::string text;
    for (const auto& line : report.value("advice", nlohmann::json::array())) text += line.get<std::string>() + "\n";
    return text;
  }

  int rank_ = 0, ranks_ = 1;
  fs::path folder_;

 private:
  // By the ranks of `model`, whose number no byte shows.
  void write(weir_t* weir, MPI_Comm model, const std::string& name, int number, const Run& run) const {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(model, &rank);
    MPI_Comm_size(model, &ranks);
    weir_file* file = nullptr;
    const std::int64_t shape[] = {rows_of_a_rank * ranks_, columns}, first = shape[0] * rank / ranks;
    const std::int64_t start[] = {first, 0}, count[] = {shape[0] * (rank + 1) / ranks - first, columns};
    int layout = -1, dims[3], vars[3], mask = -1;
    EXPECT_EQ(weir_def_layout(weir, 2, shape, 1, start, count, nullptr, &layout), WEIR_OK);
    ASSERT_EQ(weir_create(weir, path(name).c_str(), 0, &file), WEIR_OK) << weir_error(weir);
    weir_def_dim(file, "time", WEIR_UNLIMITED, &dims[0]);
    weir_def_dim(file, "y", shape[0], &dims[1]);
    weir_def_dim(file, "x", columns, &dims[2]);
    for (int v = 0; v < 3; ++v) weir_def_var(file, ("v" + std::to_string(v)).c_str(), WEIR_FLOAT, 3, dims, &vars[v]);
    weir_def_var(file, "mask", WEIR_FLOAT, 2, dims + 1, &mask);
    ASSERT_EQ(weir_enddef(file), WEIR_OK) << weir_error(weir);
    std::vector<float> values(static_cast<std::size_t>(count[0] * columns));
    const auto put = [&](int var, std::int64_t record) {
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>((static_cast<std::size_t>(first * columns) + i) % 1009) +
                    1009.0F * static_cast<float>(10 * var + 100 * number + record);
      EXPECT_EQ(weir_put(file, var, record, layout, WEIR_FLOAT, values.data()), WEIR_OK) << weir_error(weir);
    };
    put(mask, 0);
    for (std::int64_t record = 0; record < run.records; ++record) {
      std::this_thread::sleep_for(std::chrono::duration<double>(run.compute_seconds));
      for (int var : vars) put(var, record);
      if (run.sync) {
        EXPECT_EQ(weir_sync(file), WEIR_OK) << weir_error(weir);
      }
    }
    EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir);
  }
};

TEST_F(Auto, WritesTheSameBytesWhateverItTries) {
  const struct {
    const char* more;
    Run run;
  } cases[] = {{"", {1, 12, false, 0}},
               {"", {1, 6, true, 0}},
               {"", {4, 3, false, 0}},
               {"", {3, 1, false, 0}},
               {"sink: pnetcdf\n", {1, 8, false, 0}},
               {"debug.ranks_per_host: 2\n", {2, 8, false, 0}},
               {"buffer_limit: 1MiB\noverlap: slack\n", {1, 8, false, 0}},
               {"control: rank\n", {1, 12, false, 0}},
               {"control: rank\ndebug.hops: two\ndebug.ranks_per_host: 2\n", {1, 12, false, 0}}};
  for (const auto& [more, run] : cases) {
    if (ranks_ == 1 && std::string(more).starts_with("control: rank")) continue;  // none is left for the model
    SCOPED_TRACE(std::string(more) + std::to_string(run.files) + " files of " + std::to_string(run.records));
    model("strategy: serial\n", "serial", run);
    const nlohmann::json report = model(std::string("strategy: auto\ntuned: none\n") + more, "auto", run);
    expect_same_files("serial", "auto", run.files);
    if (report.is_null()) continue;  // this rank was the scheduler's
    EXPECT_NE(lines(report).find("began with strategy: "), std::string::npos) << report.dump(1);
    if (ranks_ > 1 && run.files * run.records >= 8) {
      EXPECT_NE(lines(report).find("kept strategy: "), std::string::npos) << report.dump(1);
    }
  }
}

TEST_F(Auto, BeginsWithWhatTheLastRunFound) {
  if (ranks_ == 1) GTEST_SKIP() << "one rank has one way to write";
  const std::string config = "strategy: auto\ntuned: " + path("tuned.yaml") + "\n";
  const std::string first = lines(model(config, "first", {1, 8, false, 0.005}));
  EXPECT_NE(first.find("no tuned table has a similar output"), std::string::npos) << first;
  ASSERT_TRUE(fs::exists(path("tuned.yaml")));
  const std::size_t kept = first.find("kept ") + 5;
  const std::string way = first.substr(kept, first.find(" s a record", kept) - kept);
  const std::string second = lines(model(config, "second", {1, 8, false, 0.005}));
  EXPECT_NE(second.find("began with " + way.substr(0, way.rfind(": ")) +
                        ", the tuned table's, which an earlier run has measured"),
            std::string::npos)
      << first << second;
  EXPECT_EQ(second.find("kept"), std::string::npos) << second;
  expect_same_files("first", "second", 1);
}

// What was only simulated is tried beside what the rules name, and what is kept was measured.
TEST_F(Auto, TriesWhatWeirTuneHasFound) {
  if (ranks_ == 1) GTEST_SKIP() << "one rank has one way to write";
  const std::string table = path("tuned.yaml");
  const OutputShape shape{ranks_, 1, std::int64_t{12} * rows_of_a_rank * columns * ranks_, 3};
  if (rank_ == 0) {
    TunedTable tuned = TunedTable::read(table, machine_name());
    tuned.keep({shape, Way{{{"strategy", "serial"}, {"bundle_size", "64KiB"}}}, 0, 1, 2});
    tuned.write(table);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  model("strategy: serial\n", "serial", {1, 12, false, 0});
  const std::string told = lines(model("strategy: auto\ntuned: " + table + "\n", "auto", {1, 12, false, 0}));
  EXPECT_NE(told.find("began with strategy: serial, bundle_size: 64KiB, the tuned table's, which was simulated"),
            std::string::npos)
      << told;
  EXPECT_NE(told.find("kept strategy: "), std::string::npos) << told;
  expect_same_files("serial", "auto", 1);
  const auto kept = TunedTable::read(table, machine_name()).find(shape);
  ASSERT_TRUE(kept.has_value());
  EXPECT_TRUE(kept->measured);
}

TEST_F(Auto, SaysThatItDoesWithoutABadTable) {
  if (rank_ == 0) std::ofstream(path("tuned.yaml")) << "version: 9\nmachine: sea\nentries: []\n";
  MPI_Barrier(MPI_COMM_WORLD);
  const nlohmann::json report = model("strategy: auto\ntuned: " + path("tuned.yaml") + "\n", "file", {1, 2, false, 0});
  EXPECT_NE(lines(report).find("is not used: it is of version 9"), std::string::npos) << report.dump(1);
}

// A storage that lets little through, and a model that computes twice as long: a way that writes beside the model takes
// two thirds of the others' time. Long enough that what else the machine does is not what is judged.
TEST_F(Auto, KeepsAwayFromAWayThatHidesNothing) {
  const char* const bandwidth = std::getenv("SLOW_STORAGE_BANDWIDTH");
  if (!bandwidth) GTEST_SKIP() << "tests/cli/slow_storage.sh runs it";
  const double output_seconds = 3.0 * 4 * rows_of_a_rank * columns * ranks_ / std::atof(bandwidth);
  const nlohmann::json report = model("strategy: auto\ntuned: none\n", "file", {1, 8, false, 2 * output_seconds});
  const std::string told = lines(report);
  EXPECT_NE(told.find("kept strategy: dynamic"), std::string::npos) << told;
}

}  // namespace
}  // namespace weir
