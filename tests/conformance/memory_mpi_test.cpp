// ranks: 1 4 7
// alone: MPI with another level of threads
// SPDX-License-Identifier: Apache-2.0
// Contract 5: no rank holds more than buffer_limit of Weir's bytes, however much is put; and after the first cycle
// nothing is allocated any more. Where the scheduler has a rank of its own that is the last one, and the others are the
// model.
#include <gtest/gtest.h>
#include <mpi.h>
#include <weir/weir.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "own_new.hpp"

namespace {

std::atomic<bool> counting{false};
std::atomic<std::int64_t> allocations{0}, allocated_bytes{0};

}  // namespace

bool own_new::granted(std::size_t bytes, const void*) noexcept {
  if (!counting) return true;
  ++allocations;
  allocated_bytes += static_cast<std::int64_t>(bytes);
  return true;
}

namespace {

constexpr std::int64_t limit_bytes = 1 << 20;
constexpr std::int64_t rows_of_rank = 64, columns = 2048;  // of float: half of limit_bytes a rank and record
constexpr std::int64_t records = 8;
// What Weir needs besides its buffers (plans, the header, file names) and what MPI takes for messages under way.
constexpr std::int64_t slack_bytes = 3 << 20;

// From the kernel, in bytes: VmRSS, VmHWM.
std::int64_t own_memory(const std::string& what) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind(what + ":", 0) == 0) return std::atoll(line.c_str() + what.size() + 1) * 1024;
  return -1;
}

// The high-water mark falls to what is resident now. False where the kernel does not let us.
bool forget_high_water() {
  std::ofstream file("/proc/self/clear_refs");
  file << "5" << std::flush;
  return file.good();
}

std::string letters_of(const testing::TestParamInfo<const char*>& tested) {
  std::string name;
  for (const char c : std::string(tested.param))
    if (std::isalpha(static_cast<unsigned char>(c))) name += c;
  return name;
}

struct Result {
  std::int64_t high_water = 0;  // as the report says
  std::int64_t packing = 0;     // the same, beside that
  std::int64_t growth = 0;      // as the kernel says
};

class MemoryTest : public testing::TestWithParam<const char*> {
 protected:
  MemoryTest() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    path_ = std::filesystem::temp_directory_path().string() + "/memory.nc";
  }
  ~MemoryTest() override {
    if (rank_ == 0) std::filesystem::remove_all(path_);
    MPI_Barrier(MPI_COMM_WORLD);
  }

  // False on a rank that was Weir's, when it has served.
  bool start(const std::string& config) {
    const int code = weir_init(MPI_COMM_WORLD, config.c_str(), &model_, &weir_);
    EXPECT_EQ(code, WEIR_OK) << weir_init_error();
    if (code != WEIR_OK || !weir_) return false;
    MPI_Comm_rank(model_, &rank_);
    MPI_Comm_size(model_, &ranks_);
    return true;
  }
  void end() {
    ASSERT_EQ(weir_finalize(&weir_), WEIR_OK) << weir_init_error();
    MPI_Comm_free(&model_);
  }

  // A file of two variables of (time, y, x); each rank holds some whole rows, the last axis first in memory.
  weir_file* begin(std::int64_t rows) {
    weir_file* file = nullptr;
    int dims[3];
    EXPECT_EQ(weir_create(weir_, path_.c_str(), 0, &file), WEIR_OK) << weir_error(weir_);
    EXPECT_EQ(weir_def_dim(file, "time", WEIR_UNLIMITED, &dims[0]), WEIR_OK);
    EXPECT_EQ(weir_def_dim(file, "y", rows * ranks_, &dims[1]), WEIR_OK);
    EXPECT_EQ(weir_def_dim(file, "x", columns, &dims[2]), WEIR_OK);
    for (int& var : vars_) EXPECT_EQ(weir_def_var(file, &var == vars_ ? "a" : "b", WEIR_FLOAT, 3, dims, &var), WEIR_OK);
    EXPECT_EQ(weir_enddef(file), WEIR_OK) << weir_error(weir_);
    const std::int64_t shape[] = {rows * ranks_, columns}, at[] = {rows * rank_, 0}, count[] = {rows, columns};
    const int swapped[] = {1, 0};
    EXPECT_EQ(weir_def_layout(weir_, 2, shape, 1, at, count, swapped, &layout_), WEIR_OK) << weir_error(weir_);
    values_.assign(static_cast<std::size_t>(rows * columns), 1.5F);
    return file;
  }
  void put(weir_file* file, int var, std::int64_t record) {
    ASSERT_EQ(weir_put(file, vars_[var], record, layout_, WEIR_FLOAT, values_.data()), WEIR_OK) << weir_error(weir_);
  }

  // Of a rank of the model.
  std::optional<Result> write(const std::string& config, std::int64_t rows = rows_of_rank) {
    if (!start(config)) return std::nullopt;
    weir_file* file = begin(rows);
    const bool forgotten = forget_high_water();
    const std::int64_t before = own_memory("VmRSS");
    for (std::int64_t r = 0; r < records; ++r)
      for (int var = 0; var < 2; ++var) put(file, var, r);
    EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
    Result result;
    if (forgotten && before > 0) result.growth = own_memory("VmHWM") - before;
    const char* json = nullptr;
    EXPECT_EQ(weir_report(weir_, &json), WEIR_OK);
    if (json) result.high_water = nlohmann::json::parse(json)["high_water_bytes"].get<std::int64_t>();
    if (json) result.packing = nlohmann::json::parse(json)["packing_bytes"].get<std::int64_t>();
    end();
    return result;
  }
  void expect_within(std::int64_t cap, const std::string& config, std::int64_t rows = rows_of_rank) {
    const auto result = write(config, rows);
    if (!result) return;
    EXPECT_GT(result->high_water, 0) << config;
    EXPECT_LE(result->high_water, cap) << config;
  }
  // The scheduler's rank leaves none to the model of one rank.
  bool too_few(const std::string& config) const {
    return ranks_ == 1 && config.find("control: rank") != std::string::npos;
  }

  int rank_ = 0, ranks_ = 1;
  MPI_Comm model_ = MPI_COMM_NULL;
  weir_t* weir_ = nullptr;
  int layout_ = -1;
  int vars_[2] = {-1, -1};
  std::vector<float> values_;
  std::string path_;
};
INSTANTIATE_TEST_SUITE_P(All, MemoryTest,
                         testing::Values("serial", "collective", "rows", "columns", "remap", "dynamic\noverlap: none",
                                         "dynamic\noverlap: slack", "dynamic\noverlap: background",
                                         "dynamic\ncontrol: rank",
                                         "dynamic\ncontrol: rank\ndebug.choose: arrival\ndebug.hops: two"),
                         letters_of);

TEST_P(MemoryTest, StaysBelowTheLimit) {
  if (too_few(GetParam())) GTEST_SKIP() << "wants a rank more";
  const std::string base = std::string("strategy: ") + GetParam() + "\nbuffer_limit: " + std::to_string(limit_bytes) +
                           "\ndurability: cache\n";
  for (const char* more :
       {"debug.forward: shared\n", "debug.forward: messages\n", "debug.ranks_per_host: 2\n", "sink: pnetcdf\n"})
    expect_within(limit_bytes, base + more);
}

// The cap swept down to the least there is, which is a small part of a variable: slower, never wrong. Two places for
// tiles, messages out and messages in are a quarter each.
class CapTest : public MemoryTest {
 protected:
  void expect_values(std::int64_t rows) {
    MPI_Comm alone = MPI_COMM_NULL;
    weir_t* reader = nullptr;
    weir_file* file = nullptr;
    ASSERT_EQ(weir_init(MPI_COMM_SELF, "strategy: serial\n", &alone, &reader), WEIR_OK);
    EXPECT_EQ(weir_open(reader, path_.c_str(), WEIR_NOWRITE, &file), WEIR_OK) << weir_error(reader);
    std::vector<float> found(static_cast<std::size_t>(rows * ranks_ * columns));
    for (std::int64_t r = 0; r < records; ++r)
      for (const int var : vars_) {
        const std::int64_t at[] = {r, 0, 0}, count[] = {1, rows * ranks_, columns};
        ASSERT_EQ(weir_get_vara(file, var, at, count, WEIR_FLOAT, found.data()), WEIR_OK) << weir_error(reader);
        ASSERT_EQ(std::count(found.begin(), found.end(), 1.5F), std::ssize(found)) << "record " << r;
      }
    weir_finalize(&reader);
    MPI_Comm_free(&alone);
  }
};
INSTANTIATE_TEST_SUITE_P(
    All, CapTest,
    testing::Values("none", "slack", "background", "background\ncontrol: rank",
                    "slack\ncontrol: rank\ndebug.choose: arrival\ndebug.hops: two\nbundle_size: 0"),
    letters_of);

TEST_P(CapTest, SlowerNeverWrong) {
  if (too_few(GetParam())) GTEST_SKIP() << "wants a rank more";
  constexpr std::int64_t rows = 16;
  for (const char* more : {"", "debug.forward: messages\n", "debug.ranks_per_host: 2\n"})
    for (std::int64_t cap = 64 << 10; cap <= 4 << 20; cap *= 4) {
      const std::string config = std::string("strategy: dynamic\ndurability: cache\ntimeout: 60\noverlap: ") +
                                 GetParam() + "\nbuffer_limit: " + std::to_string(cap) + "\n" + more;
      expect_within(cap, config, rows);
      if (rank_ == 0) expect_values(rows);
      MPI_Barrier(MPI_COMM_WORLD);
    }
}

// Without shared memory, which the kernel counts on every rank that has touched it.
TEST_P(MemoryTest, IsWhatTheKernelSees) {
  const std::string config = std::string("strategy: ") + GetParam() + "\nbuffer_limit: " + std::to_string(limit_bytes) +
                             "\ndurability: cache\ndebug.forward: messages\ndebug.ranks_per_host: 1\nsink: direct\n";
  if (too_few(config)) GTEST_SKIP() << "wants a rank more";
  static_cast<void>(write(config));  // what MPI and the libraries take at their first use stays
  const auto result = write(config);
  if (!result) return;
  EXPECT_LE(result->growth, limit_bytes + slack_bytes);
}

// All plans are made and all vectors have grown: then a put, and the flush that it may bring, allocate nothing.
TEST_P(MemoryTest, IsNotAllocatedAfterTheFirstCycles) {
  if (too_few(GetParam())) GTEST_SKIP() << "wants a rank more";
  for (const char* forward : {"shared", "messages"}) {
    if (!start(std::string("strategy: ") + GetParam() + "\ndebug.forward: " + forward +
               "\nbuffer_limit: 256KiB\ndurability: cache\nsink: direct\n"))
      continue;
    weir_file* file = begin(2);
    const auto put_some = [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t r = from; r < to; ++r)
        for (int var = 0; var < 2; ++var) put(file, var, r);
    };
    put_some(0, 40);
    ASSERT_EQ(weir_sync(file), WEIR_OK) << weir_error(weir_);
    put_some(40, 80);
    ASSERT_EQ(weir_sync(file), WEIR_OK) << weir_error(weir_);
    allocations = allocated_bytes = 0;
    counting = true;
    put_some(80, 120);
    counting = false;
    // More units, or messages, than ever before may be under way at once, the more the further apart the ranks are on a
    // busy machine: a few, and then no more. What a put allocated would be one for each of 80.
    const bool ahead = std::string(GetParam()).starts_with("dynamic") || std::string(forward) == "messages";
    const int most = ahead ? 79 : 0;
    EXPECT_LE(allocations, most) << allocated_bytes << " bytes, with debug.forward: " << forward;
    EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
    end();
  }
}

// A writer that packs has, beside the limit, a batch of packed chunks and what a chunk passes on its way.
class PackingMemoryTest : public MemoryTest {};
INSTANTIATE_TEST_SUITE_P(All, PackingMemoryTest, testing::Values("remap", "dynamic\noverlap: background"), letters_of);

TEST_P(PackingMemoryTest, IsAFewChunksAndTold) {
  constexpr std::int64_t limit = 8 << 20, chunk_bytes = 1 << 20, chunks = 5;  // the longest that is made unasked
  for (const char* format : {"format: netcdf4\ncompression: zlib\n", "format: zarr\ncompression: zstd\n"}) {
    SCOPED_TRACE(format);
    const std::string config = std::string("strategy: ") + GetParam() + "\nbuffer_limit: 8MiB\ndurability: cache\n" +
                               "debug.forward: messages\ndebug.ranks_per_host: 1\n" + format;
    static_cast<void>(write(config));  // as above
    const auto result = write(config);
    ASSERT_TRUE(result);
    EXPECT_LE(result->high_water, limit);
    EXPECT_GE(result->packing, chunk_bytes / 2);
    EXPECT_LE(result->packing, chunks * chunk_bytes);
    EXPECT_LE(result->growth, result->high_water + result->packing + slack_bytes);
  }
}

// Two variables, each of which fills a cycle. Whoever holds the first record of one holds all records of its chunks,
// and another rank those of the other one, however early one rank is.
TEST_P(PackingMemoryTest, HoldsAShareOfChunksOfSeveralRecords) {
  constexpr std::int64_t together = 4, variable_bytes = 4 << 20, slack = 4 << 20;
  ASSERT_TRUE(start(std::string("strategy: ") + GetParam() +
                    "\ndurability: cache\nformat: netcdf4\ncompression: zlib\nchunk_records: 4\n"));
  const std::int64_t row_bytes = columns * static_cast<std::int64_t>(sizeof(float)) * ranks_;
  const std::int64_t rows = (variable_bytes + row_bytes - 1) / row_bytes;
  weir_file* file = begin(rows);
  for (std::int64_t record = 0; record < together; ++record)
    for (int var = 0; var < 2; ++var) put(file, var, record);
  ASSERT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
  const char* json = nullptr;
  ASSERT_EQ(weir_report(weir_, &json), WEIR_OK);
  const std::int64_t all = 2 * together * rows * row_bytes;
  const auto told = nlohmann::json::parse(json)["packing_bytes"].get<std::int64_t>();
  EXPECT_GE(told, all / ranks_ / 2);
  EXPECT_LE(told, all / std::min(ranks_, 2) + slack);
  end();
}

// Records that share a chunk, or are small, wait on rank 0 until the commit.
TEST_P(PackingMemoryTest, HoldsWhatWaitsForACommitAndTellsIt) {
  ASSERT_TRUE(start(std::string("strategy: ") + GetParam() + "\ndurability: cache\n"));
  weir_file* file = nullptr;
  int dims[2], var = -1;
  constexpr std::int64_t length = 100, noted = 2000;  // 800 bytes a record
  ASSERT_EQ(weir_create(weir_, path_.c_str(), WEIR_ZARR, &file), WEIR_OK) << weir_error(weir_);
  ASSERT_EQ(weir_def_dim(file, "time", WEIR_UNLIMITED, &dims[0]), WEIR_OK);
  ASSERT_EQ(weir_def_dim(file, "x", length, &dims[1]), WEIR_OK);
  ASSERT_EQ(weir_def_var(file, "small", WEIR_DOUBLE, 2, dims, &var), WEIR_OK);
  ASSERT_EQ(weir_enddef(file), WEIR_OK) << weir_error(weir_);
  const std::vector<double> values(length, 0.5);
  for (std::int64_t r = 0; r < noted; ++r)
    ASSERT_EQ(weir_put_var(file, var, r, WEIR_DOUBLE, values.data()), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
  const char* json = nullptr;
  ASSERT_EQ(weir_report(weir_, &json), WEIR_OK);
  const auto told = nlohmann::json::parse(json)["packing_bytes"].get<std::int64_t>();
  EXPECT_GE(told, noted * length * 8);
  EXPECT_LE(told, 2 * noted * length * 8);
  end();
}

}  // namespace
