// SPDX-License-Identifier: Apache-2.0
// ranks: 4
// alone: MPI with another level of threads
// What goes on between the calls of ranks on several hosts, under `dynamic`: with progress: thread pieces come and
// tiles are written while the model computes, with progress: calls only in the next call; and an early rank does not
// wait for its neighbours to come to the same put. Each rank is taken for a host, or two are.
#include <gtest/gtest.h>
#include <mpi.h>
#include <weir/weir.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "mpi_main.hpp"

int thread_level() {
  return MPI_THREAD_MULTIPLE;
}

namespace {

namespace fs = std::filesystem;

// A rank's part of a record is larger than what any MPI sends before it is asked for.
constexpr std::int64_t rows_of_a_rank = 64, columns = 4096;

class Progress : public testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    path_ = (fs::temp_directory_path() / "progress.nc").string();
  }
  void TearDown() override {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ == 0) fs::remove(path_);
  }

  void begin(const std::string& config, const std::string& strategy = "dynamic") {
    const std::string text = "strategy: " + strategy + "\ndurability: cache\ntimeout: 20\n" + config;
    ASSERT_EQ(weir_init(MPI_COMM_WORLD, text.c_str(), &model_, &weir_), WEIR_OK) << weir_init_error();
    const std::int64_t shape[] = {rows_of_a_rank * ranks_, columns};
    const std::int64_t start[] = {rows_of_a_rank * rank_, 0}, count[] = {rows_of_a_rank, columns};
    ASSERT_EQ(weir_def_layout(weir_, 2, shape, 1, start, count, nullptr, &layout_), WEIR_OK) << weir_error(weir_);
    int dims[3];
    ASSERT_EQ(weir_create(weir_, path_.c_str(), 0, &file_), WEIR_OK) << weir_error(weir_);
    weir_def_dim(file_, "time", WEIR_UNLIMITED, &dims[0]);
    weir_def_dim(file_, "y", shape[0], &dims[1]);
    weir_def_dim(file_, "x", columns, &dims[2]);
    weir_def_var(file_, "field", WEIR_FLOAT, 3, dims, &var_);
    ASSERT_EQ(weir_enddef(file_), WEIR_OK) << weir_error(weir_);
  }

  void put(std::int64_t record) {
    const std::vector<float> values(rows_of_a_rank * columns, static_cast<float>(10 * record + rank_));
    EXPECT_EQ(weir_put(file_, var_, record, layout_, WEIR_FLOAT, values.data()), WEIR_OK) << weir_error(weir_);
  }

  // Closes the file and checks it.
  void end(std::int64_t records) {
    EXPECT_EQ(weir_close(file_), WEIR_OK) << weir_error(weir_);
    EXPECT_EQ(weir_finalize(&weir_), WEIR_OK) << weir_init_error();
    MPI_Comm_free(&model_);
    expect_values(records);
  }

  std::string path_;
  int rank_ = 0, ranks_ = 1;
  weir_t* weir_ = nullptr;
  weir_file* file_ = nullptr;

 private:
  void expect_values(std::int64_t records) const {
    if (rank_ != 0) return;
    weir_t* weir = nullptr;
    MPI_Comm comm = MPI_COMM_NULL;
    weir_file* file = nullptr;
    ASSERT_EQ(weir_init(MPI_COMM_SELF, "", &comm, &weir), WEIR_OK) << weir_init_error();
    ASSERT_EQ(weir_open(weir, path_.c_str(), WEIR_NOWRITE, &file), WEIR_OK) << weir_error(weir);
    std::vector<float> values(static_cast<std::size_t>(rows_of_a_rank * columns));
    for (std::int64_t record = 0; record < records; ++record)
      for (int rank = 0; rank < ranks_; ++rank) {
        const std::int64_t start[] = {record, rows_of_a_rank * rank, 0}, count[] = {1, rows_of_a_rank, columns};
        ASSERT_EQ(weir_get_vara(file, 0, start, count, WEIR_FLOAT, values.data()), WEIR_OK) << weir_error(weir);
        EXPECT_EQ(values, std::vector<float>(values.size(), static_cast<float>(10 * record + rank)));
      }
    EXPECT_EQ(weir_close(file), WEIR_OK);
    EXPECT_EQ(weir_finalize(&weir), WEIR_OK);
    MPI_Comm_free(&comm);
  }

  MPI_Comm model_ = MPI_COMM_NULL;
  int layout_ = -1, var_ = -1;
};

// Whether the file has values of record 1, which are 10 and more: record 0 has less.
bool has_record_1(const std::string& path, int rank) {
  const float value = static_cast<float>(10 + rank);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  const std::string word = {static_cast<char>(bits >> 24), static_cast<char>(bits >> 16), static_cast<char>(bits >> 8),
                            static_cast<char>(bits)};
  std::ifstream stream(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  for (std::size_t at = 0; at + word.size() <= bytes.size(); at += word.size())
    if (bytes.compare(at, word.size(), word) == 0) return true;
  return false;
}

// The last rank puts when the others have returned from their puts, so its pieces come when the writer, one of the
// others, computes; plans, for which ranks meet, are known by then. With the thread they are written although no rank
// calls Weir again. Without it they are not, however long that is.
TEST_F(Progress, GoesOnBetweenCalls) {
  const std::string config = "debug.ranks_per_host: 1\nwriters_per_variable: 1\n";
  for (const bool thread : {false, true}) {
    begin(config + "progress: " + (thread ? "thread" : "calls") + "\n");
    put(0);
    EXPECT_EQ(weir_sync(file_), WEIR_OK) << weir_error(weir_);
    const int last = ranks_ - 1;
    if (rank_ != last) put(1);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ == last) put(1);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ == 0) {
      const weir::Deadline deadline(thread ? 20 : 0);
      while (thread && !has_record_1(path_, last) && !deadline.passed())
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      EXPECT_EQ(has_record_1(path_, last), thread);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    end(2);
  }
}

// What is written is known to neighbours before they come to the put that wants its place: at a commit, or, with the
// thread, as soon as it is so. Else an early rank waited here for ever, since its neighbour comes when it has put.
TEST_F(Progress, WaitsForNoNeighbour) {
  for (const char* how : {"progress: calls\n", "progress: thread\n", "overlap: slack\n"}) {
    SCOPED_TRACE(how);
    begin(std::string("debug.ranks_per_host: 2\nwriters_per_variable: 2\n") + how);
    put(0);
    put(1);
    const bool thread = std::string(how).find("thread") != std::string::npos, late = rank_ % 2 == 1;
    if (!thread) {
      EXPECT_EQ(weir_sync(file_), WEIR_OK) << weir_error(weir_);
    }
    int word = 0;
    if (late) MPI_Recv(&word, 1, MPI_INT, rank_ - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const std::int64_t window = 2 * ranks_ / 2;  // units in flight: two places a rank, two slots a unit
    for (std::int64_t record = 2; record < 2 + window; ++record) put(record);
    if (!late) MPI_Send(&word, 1, MPI_INT, rank_ + 1, 0, MPI_COMM_WORLD);
    end(2 + window);
  }
}

// Not every way that is tried has a use for the thread.
TEST_F(Progress, IsThereForStrategyAuto) {
  begin("debug.ranks_per_host: 2\nprogress: thread\ntuned: none\n", "auto");
  for (std::int64_t record = 0; record < 8; ++record) put(record);
  end(8);
}

}  // namespace
