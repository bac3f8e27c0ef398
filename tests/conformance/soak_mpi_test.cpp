// ranks: 3
// timeout: 400
// SPDX-License-Identifier: Apache-2.0
// What a long run leaves behind: after very many files, layouts and boxes no process is larger than a first part of
// them has made it, servers included; and plans stay within buffer_limit. SOAK_TURNS=10000 makes the run longer.
#include <gtest/gtest.h>
#include <malloc.h>
#include <mpi.h>
#include <weir/weir.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr int variables = 3;
constexpr int parts = 4;  // the first makes the process as large as it gets; the others are equally long
// What the allocator and MPI keep for other uses, in a part. Open MPI 4.1 keeps two small blocks of each MPI_File_open,
// which PnetCDF calls once a file.
constexpr std::int64_t margin_bytes = 16 << 10, margin_bytes_of_turn = 64;

std::string letters_of(const testing::TestParamInfo<const char*>& tested) {
  std::string name;
  for (const char c : std::string(tested.param))
    if (std::isalpha(static_cast<unsigned char>(c))) name += c;
  return name;
}

// The most that the program has had allocated in each part. What is lost with the turns makes every part larger than
// the one before; where a rank is late, messages wait in one of them.
class Most {
 public:
  void look(int part) {
    const struct mallinfo2 info = mallinfo2();
    most_[part] = std::max(most_[part], static_cast<std::int64_t>(info.uordblks + info.hblkhd));
  }
  void expect_flat(int turns_of_part, int rank) const {
    std::int64_t growth = most_[1] - most_[0];
    for (int part = 2; part < parts; ++part) growth = std::min(growth, most_[part] - most_[part - 1]);
    EXPECT_LE(growth, margin_bytes + margin_bytes_of_turn * turns_of_part)
        << "rank " << rank << ": " << testing::PrintToString(most_);
  }

 private:
  std::int64_t most_[parts] = {};
};

class SoakTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    path_ = fs::temp_directory_path().string() + "/soak.nc";
    mark_ = path_ + ".part";
  }
  void TearDown() override {
    if (weir_) {
      EXPECT_EQ(weir_finalize(&weir_), WEIR_OK) << weir_init_error();
      MPI_Comm_free(&model_);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    std::error_code gone;
    if (rank_ == 0) fs::remove(path_, gone);
    if (rank_ == 0)
      for (int part = 1; part < parts; ++part) fs::remove(mark_ + std::to_string(part), gone);
    MPI_Barrier(MPI_COMM_WORLD);
  }

  // first_turns: they make the process as large as it ever gets. False on a server, when it has served.
  bool start(int first_turns, const std::string& more = "buffer_limit: 1MiB\n") {
    const char* asked = std::getenv("SOAK_TURNS");
    first_turns_ = first_turns;
    all_turns_ = std::max(2 * first_turns, asked == nullptr ? 0 : std::atoi(asked));
    const std::string config = std::string("durability: cache\ntimeout: 200\nstrategy: ") + GetParam() + "\n" + more;
    const bool serves = std::string(GetParam()).starts_with("servers") && rank_ == ranks_ - 1;
    std::atomic<bool> over = false;
    std::optional<std::thread> watch;
    if (serves) watch.emplace([&] { look_until(over); });
    EXPECT_EQ(weir_init(MPI_COMM_WORLD, config.c_str(), &model_, &weir_), WEIR_OK) << weir_init_error();
    over = true;
    if (watch) watch->join();
    if (!weir_) return false;
    MPI_Comm_rank(model_, &rank_);
    MPI_Comm_size(model_, &ranks_);
    return true;
  }
  // A server is in weir_init all the time.
  void look_until(const std::atomic<bool>& over) {
    Most most;
    for (int part = 0; !over; std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
      if (part + 1 < parts && fs::exists(mark_ + std::to_string(part + 1))) ++part;
      most.look(part);
    }
    most.expect_flat(turns_of_part(), rank_);
  }

  void expect_flat(const std::function<void(int)>& turn) {
    Most most;
    for (int i = 0, part = 0; i < all_turns_; ++i) {
      if (part + 1 < parts && i >= first_turns_ + part * turns_of_part()) {
        ++part;
        if (rank_ == 0) std::ofstream(mark_ + std::to_string(part)) << "\n";
      }
      turn(i);
      most.look(part);
    }
    most.expect_flat(turns_of_part(), rank_);
  }
  int turns_of_part() const { return (all_turns_ - first_turns_) / (parts - 1); }

  // Variables of (time, y, x = 4), and one of time alone.
  weir_file* begin(std::int64_t rows) {
    weir_file* file = nullptr;
    int dims[3];
    check(weir_create(weir_, path_.c_str(), 0, &file));
    check(weir_def_dim(file, "time", WEIR_UNLIMITED, &dims[0]));
    check(weir_def_dim(file, "y", rows, &dims[1]));
    check(weir_def_dim(file, "x", 4, &dims[2]));
    for (int v = 0; v < variables; ++v)
      check(weir_def_var(file, ("v" + std::to_string(v)).c_str(), WEIR_FLOAT, 3, dims, &vars_[v]));
    check(weir_def_var(file, "step", WEIR_INT, 1, dims, &step_));
    check(weir_put_att_text(file, WEIR_GLOBAL, "title", "soak"));
    check(weir_enddef(file));
    return file;
  }
  // One row for each rank.
  int row_layout() {
    const std::int64_t shape[] = {ranks_, 4}, at[] = {rank_, 0}, count[] = {1, 4};
    int layout = -1;
    check(weir_def_layout(weir_, 2, shape, 1, at, count, nullptr, &layout));
    return layout;
  }
  void check(int code) { ASSERT_EQ(code, WEIR_OK) << weir_error(weir_); }
  nlohmann::json report() {
    const char* json = "{}";
    check(weir_report(weir_, &json));
    return nlohmann::json::parse(json);
  }

  int rank_ = 0, ranks_ = 1;
  int first_turns_ = 0, all_turns_ = 0;
  MPI_Comm model_ = MPI_COMM_NULL;
  weir_t* weir_ = nullptr;
  std::string path_, mark_;
  int vars_[variables] = {}, step_ = -1;
  const std::vector<float> values_ = std::vector<float>(64, 1.5F);
};
INSTANTIATE_TEST_SUITE_P(All, SoakTest,
                         testing::Values("remap", "dynamic", "dynamic\ndebug.ranks_per_host: 1", "servers"),
                         letters_of);

// The report and the closed handles keep a thousand files.
TEST_P(SoakTest, Files) {
  if (!start(1'100)) return;
  const int row = row_layout();
  std::vector<weir_file*> closed(1000);
  expect_flat([&](int i) {
    weir_file* file = begin(ranks_);
    for (const int var : vars_) check(weir_put(file, var, 0, row, WEIR_FLOAT, values_.data()));
    check(weir_put_var(file, step_, 0, WEIR_INT, &i));
    check(weir_close(file));
    closed[static_cast<std::size_t>(i % 1000)] = file;
    if (i + 1 == first_turns_) report();
  });
  for (weir_file* file : closed) EXPECT_EQ(weir_sync(file), WEIR_ESTATE);
  const nlohmann::json found = report();
  EXPECT_EQ(found["files"].size(), 1000U);
  EXPECT_EQ(found["earlier_files"]["files"], all_turns_ - 1000);
  EXPECT_EQ(found["earlier_files"]["records"], all_turns_ - 1000);
  EXPECT_EQ(found["earlier_files"]["bytes_written"],
            (all_turns_ - 1000) * found["files"][0]["bytes_written"].get<int>());
}

TEST_P(SoakTest, Layouts) {
  if (!start(500)) return;
  weir_file* file = begin(ranks_);
  expect_flat([&](int i) {
    const int row = row_layout();
    if (i % 8 == 0) check(weir_put(file, vars_[0], i / 8 % 2, row, WEIR_FLOAT, values_.data()));
    check(weir_free_layout(weir_, row));
  });
  check(weir_close(file));
}

// No box is put twice.
TEST_P(SoakTest, Boxes) {
  if (!start(500)) return;
  constexpr std::int64_t rows = 160;
  weir_file* file = begin(rows * ranks_);
  expect_flat([&](int i) {
    const std::int64_t first_row = i % rows, first_column = i / rows % 4;
    const std::int64_t at[] = {0, rows * rank_ + first_row, first_column};
    const std::int64_t count[] = {1, std::min(1 + i / rows / 4, rows - first_row), 4 - first_column};
    check(weir_put_vara(file, vars_[i % variables], at, count, WEIR_FLOAT, values_.data()));
  });
  check(weir_close(file));
}

// Plans that are made of many runs: each rank holds every so manieth element, beginning anywhere.
class PlanTest : public SoakTest {
 protected:
  static constexpr std::int64_t limit_bytes = 64 << 10, elements_of_rank = 240;

  int scattered_layout(std::int64_t turn) {
    const std::int64_t shape[] = {elements_of_rank / 4 * ranks_, 4};
    std::vector<std::int64_t> offsets;
    for (std::int64_t i = 0; i < elements_of_rank; ++i)
      offsets.push_back((i + turn) % elements_of_rank * ranks_ + (rank_ + turn) % ranks_);
    int layout = -1;
    check(weir_def_layout_map(weir_, 2, shape, elements_of_rank, offsets.data(), &layout));
    return layout;
  }
  std::vector<float> values_of(std::int64_t record) const {
    std::vector<float> values(elements_of_rank);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(1000 * (record + rank_) + static_cast<std::int64_t>(i));
    return values;
  }
  // A record by each of the layouts; then they are read back.
  void write(const std::vector<int>& by) {
    weir_file* file = begin(elements_of_rank / 4 * ranks_);
    const std::int64_t records = std::ssize(by);
    for (std::int64_t r = 0; r < records; ++r)
      check(weir_put(file, vars_[0], r, by[static_cast<std::size_t>(r)], WEIR_FLOAT, values_of(r).data()));
    check(weir_sync(file));
    std::vector<float> found(elements_of_rank);
    for (std::int64_t r = 0; r < records; ++r) {
      check(weir_get(file, vars_[0], r, by[static_cast<std::size_t>(r)], WEIR_FLOAT, found.data()));
      ASSERT_EQ(found, values_of(r)) << "record " << r;
    }
    check(weir_close(file));
  }
  // One rank falls out of sync, where the others use a plan that they have.
  void fail(int layout) {
    weir_file* file = begin(elements_of_rank / 4 * ranks_);
    if (rank_ == ranks_ - 1)
      weir_fail(file, WEIR_EARGUMENT, "no field here");
    else
      weir_put(file, vars_[0], 0, layout, WEIR_FLOAT, values_of(0).data());
    EXPECT_EQ(weir_close(file), WEIR_EARGUMENT);
  }
};
INSTANTIATE_TEST_SUITE_P(All, PlanTest,
                         testing::Values("remap", "dynamic", "dynamic\ndebug.ranks_per_host: 1", "servers"),
                         letters_of);

TEST_P(PlanTest, StayWithinTheLimit) {
  if (!start(0, "buffer_limit: " + std::to_string(limit_bytes) + "\n")) return;
  constexpr std::size_t many = 40;
  std::vector<int> all;
  for (std::size_t i = 0; i < many; ++i) all.push_back(scattered_layout(static_cast<std::int64_t>(i)));
  write({all[0], all[1], all[0], all[1]});
  // Of several hosts' holders, whom the scheduler chooses, nobody can read by the plan that wrote.
  const bool twice = std::string(GetParam()).find("ranks_per_host") != std::string::npos;
  EXPECT_EQ(report()["plans"], twice ? 4 : 2) << "few of them are kept";
  const std::int64_t one = report()["plan_bytes"].get<std::int64_t>() / 2;
  EXPECT_GT(one * static_cast<std::int64_t>(many), 2 * limit_bytes) << "or the limit is not put to the test";
  for (int turn = 0; turn < 3; ++turn) {
    write(all);
    EXPECT_LE(report()["plan_bytes"], limit_bytes + 2 * one);
    fail(all[many - 3]);
  }
  EXPECT_GT(report()["plans"], static_cast<int>(many)) << "none was forgotten";
}

}  // namespace
