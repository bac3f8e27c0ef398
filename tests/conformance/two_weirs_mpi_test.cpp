// SPDX-License-Identifier: Apache-2.0
// ranks: 5 8
// Two Weirs in one program, both dynamic, one with the control hosted and one with a rank for it, write two files by
// turns: each file is, byte for byte, what one Weir alone writes under `serial`.
#include <gtest/gtest.h>
#include <mpi.h>
#include <weir/weir.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

constexpr std::int64_t rows_of_one = 8, columns = 96, records = 40;

// One Weir and the file it writes.
class Output {
 public:
  Output(MPI_Comm world, const std::string& config, std::string path, int ranks, float sign)
      : path_(std::move(path)), ranks_(ranks), sign_(sign) {
    EXPECT_EQ(weir_init(world, config.c_str(), &model_, &weir_), WEIR_OK) << weir_init_error();
  }
  bool has_part() const { return weir_ != nullptr; }

  void begin() {
    MPI_Comm_rank(model_, &rank_);
    int dims[3];
    EXPECT_EQ(weir_create(weir_, path_.c_str(), 0, &file_), WEIR_OK) << weir_error(weir_);
    EXPECT_EQ(weir_def_dim(file_, "time", WEIR_UNLIMITED, &dims[0]), WEIR_OK);
    EXPECT_EQ(weir_def_dim(file_, "y", rows_of_one * ranks_, &dims[1]), WEIR_OK);
    EXPECT_EQ(weir_def_dim(file_, "x", columns, &dims[2]), WEIR_OK);
    for (int v = 0; v < 3; ++v)
      EXPECT_EQ(weir_def_var(file_, names[v], WEIR_DOUBLE, v == 2 ? 2 : 3, v == 2 ? dims + 1 : dims, &vars_[v]),
                WEIR_OK);
    EXPECT_EQ(weir_enddef(file_), WEIR_OK) << weir_error(weir_);
    const std::int64_t shape[] = {rows_of_one * ranks_, columns}, at[] = {rows_of_one * rank_, 0},
                       count[] = {rows_of_one, columns};
    EXPECT_EQ(weir_def_layout(weir_, 2, shape, 1, at, count, nullptr, &layout_), WEIR_OK) << weir_error(weir_);
  }
  void put(int var, std::int64_t record) {
    std::vector<float> values(static_cast<std::size_t>(rows_of_one * columns));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = sign_ * static_cast<float>(rank_ * 1000 + record * 10 + var) + static_cast<float>(i) / 8;
    EXPECT_EQ(weir_put(file_, vars_[var], record, layout_, WEIR_FLOAT, values.data()), WEIR_OK) << weir_error(weir_);
  }
  void sync() { EXPECT_EQ(weir_sync(file_), WEIR_OK) << weir_error(weir_); }
  void end() {
    EXPECT_EQ(weir_close(file_), WEIR_OK) << weir_error(weir_);
    EXPECT_EQ(weir_finalize(&weir_), WEIR_OK) << weir_init_error();
    MPI_Comm_free(&model_);
  }

 private:
  static constexpr const char* names[] = {"temp", "salt", "mask"};
  std::string path_;
  int ranks_, rank_ = 0;
  float sign_;
  MPI_Comm model_ = MPI_COMM_NULL;
  weir_t* weir_ = nullptr;
  weir_file* file_ = nullptr;
  int layout_ = -1;
  int vars_[3] = {-1, -1, -1};
};

class TwoWeirs : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    --ranks_;
    MPI_Comm_split(MPI_COMM_WORLD, rank_ < ranks_ ? 0 : MPI_UNDEFINED, rank_, &model_);
    base_ = std::filesystem::temp_directory_path().string() + "/two_weirs_";
  }
  void TearDown() override {
    if (model_ != MPI_COMM_NULL) MPI_Comm_free(&model_);
    MPI_Barrier(MPI_COMM_WORLD);
    for (const char* name : {"a.nc", "b.nc", "a_serial.nc", "b_serial.nc"})
      if (rank_ == 0) std::remove((base_ + name).c_str());
  }
  std::string contents(const std::string& name) const {
    std::ifstream file(base_ + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  // Puts of the two by turns, one of them ahead of the other by some, with commits that do not come together.
  static void write(Output& a, Output& b) {
    a.begin();
    b.begin();
    a.put(2, 0);
    for (std::int64_t r = 0; r < records; ++r) {
      for (int var = 0; var < 2; ++var) {
        a.put(var, r);
        if (r >= 3) b.put(var, r - 3);
      }
      if (r % 16 == 15) a.sync();
      if (r % 16 == 7) b.sync();
    }
    b.put(2, 0);
    for (std::int64_t r = records - 3; r < records; ++r)
      for (int var = 0; var < 2; ++var) b.put(var, r);
    b.end();
    a.end();
  }

  int rank_ = 0, ranks_ = 1;
  MPI_Comm model_ = MPI_COMM_NULL;
  std::string base_;
};
INSTANTIATE_TEST_SUITE_P(All, TwoWeirs,
                         testing::Values("overlap: none\n", "overlap: slack\ndebug.ranks_per_host: 2\n",
                                         "overlap: background\nbuffer_limit: 64KiB\n",
                                         "overlap: background\ndebug.ranks_per_host: 2\ndebug.forward: messages\n"),
                         [](const auto& tested) { return "case" + std::to_string(tested.index); });

TEST_P(TwoWeirs, WriteTwoFilesByTurns) {
  const std::string config = std::string("strategy: dynamic\ndurability: cache\ntimeout: 60\n") + GetParam();
  if (model_ != MPI_COMM_NULL) {
    const std::string serial = "strategy: serial\ndurability: cache\ntimeout: 60\n";
    Output a(model_, serial, base_ + "a_serial.nc", ranks_, 1), b(model_, serial, base_ + "b_serial.nc", ranks_, -1);
    write(a, b);
  }
  // The rank that serves the one has no part in the other.
  Output b(MPI_COMM_WORLD, config + "control: rank\n", base_ + "b.nc", ranks_, -1);
  if (b.has_part()) {
    Output a(model_, config + "control: hosted\n", base_ + "a.nc", ranks_, 1);
    write(a, b);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_ != 0) return;
  EXPECT_GT(contents("a.nc").size(), 8U * rows_of_one * columns * records);
  EXPECT_TRUE(contents("a.nc") == contents("a_serial.nc"));
  EXPECT_TRUE(contents("b.nc") == contents("b_serial.nc"));
  EXPECT_FALSE(contents("a.nc") == contents("b.nc"));
}

}  // namespace
