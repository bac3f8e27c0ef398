// SPDX-License-Identifier: Apache-2.0
// What the fault tests share: a Weir over all ranks, calls that go wrong, and what must then be true everywhere: the
// same code and the same sentence on all ranks, and no broken file behind.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>
#include <weir/weir.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace faults {

namespace fs = std::filesystem;

using Clock = std::chrono::steady_clock;

// Longer than a call takes that need not wait for anybody, however busy the machine is: beyond it something hangs.
constexpr std::chrono::seconds longest_call{60};

// What a rank was told.
struct Outcome {
  int code = WEIR_OK;
  std::string message;
};

class FaultTest : public testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_rank(team_, &rank_);
    MPI_Comm_size(team_, &ranks_);
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / (std::string("weir_") + test->test_suite_name() + "_" + test->name());
    for (char& c : folder_name_ = folder_.filename().string())
      if (c == '/') c = '_';
    folder_ = fs::temp_directory_path() / folder_name_;
    if (rank_ == 0) {
      fs::remove_all(folder_);
      fs::create_directories(folder_);
    }
    MPI_Barrier(team_);
  }

  void TearDown() override {
    end();
    MPI_Barrier(team_);
    if (rank_ == 0) fs::remove_all(folder_);
  }

  Outcome try_start(const std::string& config) {
    const int code = weir_init(world_, config.c_str(), &model_, &weir_);
    return {code, code == WEIR_OK ? "" : weir_init_error()};
  }
  void start(const std::string& config = "strategy: remap\n") {
    const Outcome outcome = try_start(config);
    ASSERT_EQ(outcome.code, WEIR_OK) << outcome.message;
  }
  // A timeout within which ranks that come do come: `least` seconds or, on a machine that is busy with other tests,
  // twenty times what a small job takes now. All ranks of MPI_COMM_WORLD call it, while there is no Weir.
  double timeout_in_reach(double least) {
    constexpr double most = 12;
    const auto before = Clock::now();
    weir_t* weir = nullptr;
    MPI_Comm model = MPI_COMM_NULL;
    EXPECT_EQ(weir_init(MPI_COMM_WORLD, "strategy: remap\ntimeout: 120\n", &model, &weir), WEIR_OK)
        << weir_init_error();
    EXPECT_EQ(weir_finalize(&weir), WEIR_OK) << weir_init_error();
    MPI_Comm_free(&model);
    double taken = std::chrono::duration<double>(Clock::now() - before).count();
    MPI_Allreduce(MPI_IN_PLACE, &taken, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return std::min(most, std::max(least, 20 * taken));
  }
  static std::string timeout_of(double seconds) { return "timeout: " + std::to_string(seconds) + "\n"; }

  // Ends Weir, as a model would that has been told of an error.
  Outcome end() {
    Outcome outcome;
    if (weir_) {
      outcome.code = weir_finalize(&weir_);
      if (outcome.code != WEIR_OK) outcome.message = weir_init_error();
    }
    if (model_ != MPI_COMM_NULL) MPI_Comm_free(&model_);
    rows_ = -1;
    return outcome;
  }

  std::string path(const std::string& name = "file.nc") const { return (folder_ / name).string(); }

  // Two records of temp(time, y = 2 * ranks, x = 6), a fixed mask(y, x) and a scalar. Each rank holds two rows.
  weir_file* create(const std::string& name = "file.nc", int mode = 0) {
    weir_file* file = nullptr;
    const int code = weir_create(weir_, path(name).c_str(), mode, &file);
    EXPECT_EQ(code, WEIR_OK) << weir_error(weir_);
    return file;
  }
  void define(weir_file* file) {
    int dims[3];
    EXPECT_EQ(weir_def_dim(file, "time", WEIR_UNLIMITED, &dims[0]), WEIR_OK);
    EXPECT_EQ(weir_def_dim(file, "y", 2 * ranks_, &dims[1]), WEIR_OK);
    EXPECT_EQ(weir_def_dim(file, "x", 6, &dims[2]), WEIR_OK);
    EXPECT_EQ(weir_def_var(file, "temp", WEIR_FLOAT, 3, dims, &temp_), WEIR_OK);
    EXPECT_EQ(weir_def_var(file, "mask", WEIR_SHORT, 2, dims + 1, &mask_), WEIR_OK);
    EXPECT_EQ(weir_def_var(file, "step", WEIR_INT, 0, nullptr, &step_), WEIR_OK);
  }
  // Defined, and a layout for it made.
  weir_file* begin(const std::string& name = "file.nc", int mode = 0) {
    weir_file* file = create(name, mode);
    define(file);
    EXPECT_EQ(weir_enddef(file), WEIR_OK) << weir_error(weir_);
    if (rows_ < 0) rows_ = layout_of(2 * rank_, 2);
    return file;
  }
  int layout_of(std::int64_t first_row, std::int64_t row_count) {
    const std::int64_t shape[] = {2 * ranks_, 6}, at[] = {first_row, 0}, count[] = {row_count, 6};
    int layout = -1;
    last_ = {weir_def_layout(weir_, 2, shape, 1, at, count, nullptr, &layout), weir_error(weir_)};
    return layout;
  }
  float value(std::int64_t record, std::int64_t element) const {
    return static_cast<float>(record * 1000 + element) / 4;
  }
  std::vector<float> field(std::int64_t record) const {
    std::vector<float> values(12);
    for (std::size_t i = 0; i < 12; ++i) values[i] = value(record, rank_ * 12 + static_cast<std::int64_t>(i));
    return values;
  }
  int put_field(weir_file* file, std::int64_t record) {
    return weir_put(file, temp_, record, rows_, WEIR_FLOAT, field(record).data());
  }

  // Until all ranks of `room` have come, without Weir and without taking the processor from the ranks that wait.
  static void wait_for_all(MPI_Comm room) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(room, &request);
    for (int done = 0; !done;) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (!done) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  // The first error of a series of calls: a rank that has failed goes on calling, as the others do.
  template <class... Calls>
  Outcome first_error(Calls... calls) {
    Outcome first;
    const auto note = [&](int code) {
      if (first.code == WEIR_OK && code != WEIR_OK) first = {code, weir_error(weir_)};
    };
    (note(calls()), ...);
    return first;
  }

  // What all ranks have agreed on: the outcome of the last of several calls. A put that is refused says so at once, to
  // its own rank alone.
  template <class... Calls>
  Outcome last_error(Calls... calls) {
    Outcome last;
    const auto note = [&](int code) { last = {code, weir_error(weir_)}; };
    (note(calls()), ...);
    return last;
  }

  // The instance is over: every call says so, and none waits for `timeout_seconds` again. So many calls that the waits
  // would take twice what a busy machine may.
  void expect_over_at_once(double timeout_seconds) {
    weir_file* file = nullptr;
    const auto before = Clock::now();
    const int calls = static_cast<int>(2 * std::chrono::duration<double>(longest_call).count() / timeout_seconds);
    for (int call = 0; call < calls && Clock::now() - before < longest_call; ++call)
      EXPECT_EQ(weir_create(weir_, path("more.nc").c_str(), 0, &file), WEIR_ETIMEOUT);
    EXPECT_LT(Clock::now() - before, longest_call);
  }

  // Every rank was told the same, with this code and these words in the sentence.
  void expect_same(const Outcome& mine, int code, const std::vector<std::string>& words) const {
    EXPECT_EQ(mine.code, code) << weir_strerror(mine.code) << ": " << mine.message;
    for (const std::string& word : words)
      EXPECT_NE(mine.message.find(word), std::string::npos) << "\"" << word << "\" is not in: " << mine.message;
    EXPECT_EQ(mine.message, of_rank_0(mine.message)) << "rank " << rank_ << " was told something else than rank 0";
  }
  std::string of_rank_0(std::string text) const {
    auto length = static_cast<int>(text.size());
    MPI_Bcast(&length, 1, MPI_INT, 0, team_);
    text.resize(static_cast<std::size_t>(length));
    MPI_Bcast(text.data(), length, MPI_CHAR, 0, team_);
    return text;
  }

  // The folder holds these files and nothing else, hidden ones included, but for the status of a run that goes on.
  void expect_files(const std::set<std::string>& names) const {
    MPI_Barrier(team_);
    if (rank_ != 0) return;
    std::set<std::string> found;
    // ".NAME.TOKEN.weir", of a file that is not visible yet, is taken for ".NAME.weir".
    static const std::regex token("\\.[0-9a-f]{8}\\.weir$");
    static const std::regex status("\\.live(\\.new)?$");
    for (const auto& entry : fs::directory_iterator(folder_))
      if (const std::string name = entry.path().filename().string();
          names.contains(name) || !std::regex_search(name, status))
        found.insert(std::regex_replace(name, token, ".weir"));
    EXPECT_EQ(found, names);
  }
  static std::string contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  // A file with `records` records of temp, as a model leaves it. Weir has been started.
  void make_good_file(std::int64_t records, const std::string& name = "file.nc") {
    weir_file* file = begin(name);
    for (std::int64_t r = 0; r < records; ++r) EXPECT_EQ(put_field(file, r), WEIR_OK) << weir_error(weir_);
    EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
    MPI_Barrier(team_);
  }
  // It is still such a file: read through a Weir of one rank.
  void expect_good_file(std::int64_t records, const std::string& name = "file.nc") const {
    MPI_Barrier(team_);
    if (rank_ == 0) read_good_file(records, name);
    MPI_Barrier(team_);
  }

  // Who is given to weir_init; of them, the model's ranks.
  MPI_Comm world_ = MPI_COMM_WORLD, team_ = MPI_COMM_WORLD;
  int rank_ = 0, ranks_ = 1;
  fs::path folder_;
  MPI_Comm model_ = MPI_COMM_NULL;
  weir_t* weir_ = nullptr;
  int temp_ = -1, mask_ = -1, step_ = -1, rows_ = -1;
  Outcome last_;

 private:
  void read_good_file(std::int64_t records, const std::string& name) const {
    MPI_Comm alone = MPI_COMM_NULL;
    weir_t* reader = nullptr;
    ASSERT_EQ(weir_init(MPI_COMM_SELF, "strategy: serial\n", &alone, &reader), WEIR_OK) << weir_init_error();
    weir_file* file = nullptr;
    std::int64_t found = -1;
    EXPECT_EQ(weir_open(reader, path(name).c_str(), WEIR_NOWRITE, &file), WEIR_OK) << weir_error(reader);
    if (file) {
      EXPECT_EQ(weir_inq_nrecords(file, &found), WEIR_OK);
      EXPECT_EQ(found, records);
      std::vector<float> values(static_cast<std::size_t>(12 * ranks_));
      for (std::int64_t r = 0; r < found; ++r) {
        const std::int64_t start[] = {r, 0, 0}, count[] = {1, 2 * ranks_, 6};
        ASSERT_EQ(weir_get_vara(file, temp_, start, count, WEIR_FLOAT, values.data()), WEIR_OK) << weir_error(reader);
        for (std::size_t i = 0; i < values.size(); ++i)
          ASSERT_EQ(values[i], value(r, static_cast<std::int64_t>(i))) << "record " << r << " element " << i;
      }
    }
    weir_finalize(&reader);
    MPI_Comm_free(&alone);
  }

  std::string folder_name_;
};

}  // namespace faults
