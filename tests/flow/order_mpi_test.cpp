// SPDX-License-Identifier: Apache-2.0
// ranks: 2 3
// alone: its own pwritev
// Under fixed owners and overlap: background a rank that has nothing to write in a cycle does not say so before what it
// has still to write of older cycles is written: its neighbours would put new pieces over that. The storage is slow,
// and records of a large variable, which all ranks own a part of, come in turn with records of one element, which one
// owns.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <sys/uio.h>
#include <weir/weir.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t rows = 64, columns = 64;  // of a rank's part, all of whose rows go to other owners
constexpr std::int64_t records = 6;

bool slow = false;  // the storage, on this rank

}  // namespace

// In place of the system's, for what is linked into this program.
extern "C" ssize_t pwritev(int file, const iovec* parts, int count, off_t at) {
  static const auto original =
      reinterpret_cast<ssize_t (*)(int, const iovec*, int, off_t)>(dlsym(RTLD_NEXT, "pwritev"));
  if (slow) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return original(file, parts, count, at);
}

namespace {

class Order : public testing::TestWithParam<const char*> {
 protected:
  Order() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  }
  ~Order() override {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ == 0)
      for (const char* name : {"large", "small"}) fs::remove(path(name));
  }
  static std::string path(const std::string& name) { return (fs::temp_directory_path() / (name + ".nc")).string(); }

  weir_file* create(const std::string& name, std::int64_t height, std::int64_t width) {
    weir_file* file = nullptr;
    int dims[3], var = -1;
    EXPECT_EQ(weir_create(weir_, path(name).c_str(), 0, &file), WEIR_OK) << weir_error(weir_);
    weir_def_dim(file, "time", WEIR_UNLIMITED, &dims[0]);
    weir_def_dim(file, "y", height, &dims[1]);
    weir_def_dim(file, "x", width, &dims[2]);
    weir_def_var(file, "field", WEIR_INT, 3, dims, &var);
    EXPECT_EQ(weir_enddef(file), WEIR_OK) << weir_error(weir_);
    return file;
  }

  // This rank's columns.
  void put(weir_file* file, std::int64_t record, std::int64_t height, std::int64_t width) {
    const std::vector<int> values(static_cast<std::size_t>(height * width), static_cast<int>(100 * record) + rank_);
    const std::int64_t at[] = {record, 0, width * rank_}, count[] = {1, height, width};
    EXPECT_EQ(weir_put_vara(file, 0, at, count, WEIR_INT, values.data()), WEIR_OK) << weir_error(weir_);
  }

  void expect_values(const std::string& name, std::int64_t height, std::int64_t width) {
    weir_file* file = nullptr;
    ASSERT_EQ(weir_open(weir_, path(name).c_str(), WEIR_NOWRITE, &file), WEIR_OK) << weir_error(weir_);
    std::vector<int> found(static_cast<std::size_t>(height * width));
    for (std::int64_t record = 0; record < records; ++record) {
      const std::int64_t at[] = {record, 0, width * rank_}, count[] = {1, height, width};
      ASSERT_EQ(weir_get_vara(file, 0, at, count, WEIR_INT, found.data()), WEIR_OK) << weir_error(weir_);
      const std::vector<int> expected(found.size(), static_cast<int>(100 * record) + rank_);
      EXPECT_EQ(found, expected) << name << ", record " << record;
    }
    EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
  }

  int rank_ = 0, ranks_ = 1;
  weir_t* weir_ = nullptr;
};
INSTANTIATE_TEST_SUITE_P(All, Order, testing::Values("remap", "rows"));

TEST_P(Order, OfCyclesIsKept) {
  const std::string config =
      std::string("strategy: ") + GetParam() +
      "\noverlap: background\nbundle_size: 0\ndurability: cache\nsink: direct\nwriters_per_host: 8\n";
  MPI_Comm model = MPI_COMM_NULL;
  ASSERT_EQ(weir_init(MPI_COMM_WORLD, config.c_str(), &model, &weir_), WEIR_OK) << weir_init_error();
  slow = rank_ + 1 < ranks_;  // the last one writes the small file
  weir_file* large = create("large", rows, columns * ranks_);
  weir_file* small = create("small", 1, 1);
  for (std::int64_t record = 0; record < records; ++record) {
    put(large, record, rows, columns);
    put(small, record, 1, rank_ == 0 ? 1 : 0);
  }
  EXPECT_EQ(weir_close(small), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(weir_close(large), WEIR_OK) << weir_error(weir_);
  slow = false;
  expect_values("large", rows, columns);
  expect_values("small", 1, rank_ == 0 ? 1 : 0);
  EXPECT_EQ(weir_finalize(&weir_), WEIR_OK) << weir_init_error();
  MPI_Comm_free(&model);
}

}  // namespace
