// ranks: 1 4 7
// SPDX-License-Identifier: Apache-2.0
// Reading that all ranks take part in: what it costs storage and memory, that plans are shared with writing, that it
// waits for what was put, and what becomes of ranks that disagree, of boxes and types that do not fit, and of files
// that are cut off or replaced meanwhile: one sentence on all ranks, buffers as they were, and the file stays usable.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "read/reading_fixture.hpp"

namespace {

using reading::columns;
using reading::Json;
using reading::levels;
using reading::rows_each;

class CollectiveTest : public reading::ReadingTest {
 protected:
  void expect_no_other_plan(const std::string& way);
  void expect_every_other(weir_file* file);
};

// 3-D fields in columns with halos, decomposed otherwise than written, in memory that holds a small part of them.
TEST_F(CollectiveTest, ReadsEachByteOnceThroughLittleMemory) {
  for (const std::string more : {"", "debug.ranks_per_host: 3\n", "debug.ranks_per_host: 2\ndebug.forward: messages\n",
                                 "strategy: collective\n", "strategy: dynamic\n"}) {
    SCOPED_TRACE(more);
    start("buffer_limit: 256KiB\ndurability: cache\nsink: direct\npage_cache: past\n" + more);
    weir_file* file = make_and_open();
    by_halo_ = layout(halo_start(), halo_count());
    for (std::int64_t record = 0; record < 2; ++record)
      EXPECT_EQ(get_halo(file, record), values(halo_start(), halo_count(), record));
    std::vector<float> found(static_cast<std::size_t>(rows()));
    const std::int64_t first = 0, all = rows();
    EXPECT_EQ(weir_get_vara_all(file, lat_, &first, &all, WEIR_FLOAT, found.data()), WEIR_OK) << weir_error(weir_);
    EXPECT_EQ(found, lat());
    const Json told = report();
    // What is small and wanted by all is read by each host, where hosts reach each other by messages.
    const bool messages = more.find("messages") != std::string::npos;
    const std::int64_t times = messages ? 1 : told["hosts"].get<std::int64_t>();
    const std::int64_t bytes = 2 * elements() * 8 + times * rows() * 4;
    EXPECT_EQ(told["reading"]["bytes_read"], bytes);
    EXPECT_LE(told["reading"]["opens"], told["hosts"]);
    EXPECT_LE(told["high_water_bytes"], 256 << 10);
    EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
    end();
  }
}

void CollectiveTest::expect_no_other_plan(const std::string& way) {
  SCOPED_TRACE(way);
  start("durability: cache\npage_cache: past\n" + way);
  weir_file* file = make_and_open();
  const std::int64_t plans = report()["plans"];
  std::vector<double> found(levels * rows_each * columns);
  for (std::int64_t record = 0; record < 2; ++record) {
    EXPECT_EQ(weir_get(file, salt_, record, by_rows_, WEIR_DOUBLE, found.data()), WEIR_OK) << weir_error(weir_);
    EXPECT_EQ(found, values({0, rows_each * rank_, 0}, {levels, rows_each, columns}, record));
  }
  EXPECT_EQ(report()["plans"], plans);
  EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
  end();
}

// The last rank wants every other element of much of a level, and the others nothing.
void CollectiveTest::expect_every_other(weir_file* file) {
  std::vector<std::int64_t> places;
  if (is_last())
    for (std::int64_t i = 0; i < elements() - 1; i += 2) places.push_back(i);
  const std::int64_t shape[] = {levels, rows(), columns};
  int by_places = -1;
  ASSERT_EQ(weir_def_layout_map(weir_, 3, shape, std::ssize(places), places.data(), &by_places), WEIR_OK)
      << weir_error(weir_);
  std::vector<double> found(places.size());
  ASSERT_EQ(weir_get(file, salt_, 1, by_places, WEIR_DOUBLE, found.data()), WEIR_OK) << weir_error(weir_);
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_EQ(found[i], static_cast<double>(elements() + 2 * static_cast<std::int64_t>(i)) + 0.5);
}

TEST_F(CollectiveTest, ReadsByThePlanThatWrote) {
  for (const std::string way :
       {"strategy: remap\n", "strategy: dynamic\n", "strategy: remap\ndebug.ranks_per_host: 2\n"})
    expect_no_other_plan(way);
}

// Where all ranks have the file in one page cache each reads for itself, without a plan of all; where the pieces of one
// are short, all read by owners.
TEST_F(CollectiveTest, ReadsEachForItselfOnOneHost) {
  start("strategy: remap\ndurability: cache\n");
  weir_file* file = make_and_open();
  const std::int64_t first = std::max<std::int64_t>(rows_each * rank_ - 1, 0);
  const Triple from{0, first, 1}, size{levels, rows_each * (rank_ + 1) - first, columns - 1};
  const int by_wide_rows = layout(from, size);
  const std::int64_t plans = report()["plans"];
  for (std::int64_t record = 0; record < 2; ++record) {
    std::vector<double> found(values(from, size, record).size());
    EXPECT_EQ(weir_get(file, salt_, record, by_wide_rows, WEIR_DOUBLE, found.data()), WEIR_OK) << weir_error(weir_);
    EXPECT_EQ(found, values(from, size, record));
  }
  const std::int64_t start[] = {0, 0, 0, 0}, count[] = {is_last() ? 0 : 2, levels, rows(), columns};
  std::vector<double> both(static_cast<std::size_t>(2 * elements()), -1);
  EXPECT_EQ(weir_get_vara_all(file, salt_, start, count, WEIR_DOUBLE, both.data()), WEIR_OK) << weir_error(weir_);
  if (is_last())
    EXPECT_TRUE(std::all_of(both.begin(), both.end(), [](double value) { return value == -1; }));
  else
    EXPECT_EQ(std::vector<double>(both.begin() + elements(), both.end()),
              values({0, 0, 0}, {levels, rows(), columns}, 1));
  EXPECT_EQ(report()["plans"], plans);
  expect_every_other(file);
  EXPECT_EQ(report()["plans"], plans + 1);
  EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
}

// A get between puts, of what was committed, while tiles of what was not are still under way.
TEST_F(CollectiveTest, WaitsForWhatWasPut) {
  for (const std::string way : {"strategy: dynamic\noverlap: background\n", "strategy: remap\noverlap: background\n",
                                "strategy: collective\n", "strategy: dynamic\ndebug.ranks_per_host: 2\n"}) {
    SCOPED_TRACE(way);
    start("durability: cache\nbuffer_limit: 512KiB\n" + way);
    weir_file* file = make("file.nc");
    EXPECT_EQ(weir_sync(file), WEIR_OK) << weir_error(weir_);
    by_halo_ = layout(halo_start(), halo_count());
    for (std::int64_t record = 2; record < 6; ++record) {
      put(file, record);
      EXPECT_EQ(get_halo(file, record % 2), values(halo_start(), halo_count(), record % 2));
    }
    EXPECT_EQ(weir_sync(file), WEIR_OK) << weir_error(weir_);
    for (std::int64_t record = 0; record < 6; ++record)
      EXPECT_EQ(get_halo(file, record), values(halo_start(), halo_count(), record));
    EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
    end();
  }
}

TEST_F(CollectiveTest, TellsAllRanksWhatOneHasWrong) {
  start("strategy: remap\ndurability: cache\n");
  weir_file* file = make_and_open();
  by_halo_ = layout(halo_start(), halo_count());
  const std::string last = "rank " + std::to_string(ranks_ - 1);
  const std::int64_t start[] = {0, 0, 0, 0}, count[] = {1, levels, 1, 1};
  expect_refused(file, WEIR_EARGUMENT, {last, "record 2", "the file has 2", "file.nc"}, [&](double* room) {
    const std::int64_t late[] = {is_last() ? 2 : 0, 0, 0, 0};
    return weir_get_vara_all(file, salt_, late, count, WEIR_DOUBLE, room);
  });
  expect_refused(file, WEIR_EARGUMENT, {last, "salt", "not inside its array"}, [&](double* room) {
    const std::int64_t beyond[] = {0, 0, is_last() ? rows() : 0, 0};
    return weir_get_vara_all(file, salt_, beyond, count, WEIR_DOUBLE, room);
  });
  expect_refused(file, WEIR_EARGUMENT, {last, "text converts to text only"}, [&](double* room) {
    return weir_get(file, salt_, 0, by_halo_, is_last() ? WEIR_CHAR : WEIR_DOUBLE, room);
  });
  expect_refused(file, WEIR_EARGUMENT, {last, "the buffer is NULL"}, [&](double* room) {
    return is_last() ? weir_get(file, salt_, 0, by_halo_, WEIR_DOUBLE, nullptr)
                     : weir_get(file, salt_, 0, by_halo_, WEIR_DOUBLE, room);
  });
  expect_refused(file, WEIR_EARGUMENT, {last, "no layout 99"},
                 [&](double* room) { return weir_get(file, salt_, 0, is_last() ? 99 : by_halo_, WEIR_DOUBLE, room); });
  expect_refused(file, WEIR_EARGUMENT, {last, "no variable"},
                 [&](double* room) { return weir_get(file, is_last() ? 9 : salt_, 0, by_halo_, WEIR_DOUBLE, room); });
  EXPECT_EQ(weir_get_vara_all(file, salt_, start, count, WEIR_DOUBLE, std::vector<double>(levels).data()), WEIR_OK);
  EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
}

TEST_F(CollectiveTest, TellsRanksThatDisagree) {
  if (ranks_ == 1) GTEST_SKIP() << "wants ranks that can disagree";
  start("strategy: remap\ndurability: cache\n");
  weir_file* file = make_and_open();
  by_halo_ = layout(halo_start(), halo_count());
  const std::int64_t count[] = {1, levels, 1, 1};
  expect_refused(file, WEIR_EMISMATCH, {"record 1", "record 0", "same"},
                 [&](double* room) { return weir_get(file, salt_, is_last() ? 1 : 0, by_halo_, WEIR_DOUBLE, room); });
  expect_refused(file, WEIR_EMISMATCH, {"record 1", "record 0", "same records"}, [&](double* room) {
    const std::int64_t at[] = {is_last() ? 1 : 0, 0, 0, 0};
    return weir_get_vara_all(file, salt_, at, count, WEIR_DOUBLE, room);
  });
  expect_refused(file, WEIR_EMISMATCH, {"salt", "lat"}, [&](double* room) {
    const std::int64_t at[] = {0, 0, 0, 0};
    return weir_get_vara_all(file, is_last() ? lat_ : salt_, at, count, WEIR_DOUBLE, room);
  });
  EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
}

// What does not fit is told to all; the rest has been read.
TEST_F(CollectiveTest, TellsAllRanksOfValuesThatDoNotFit) {
  start("strategy: remap\ndurability: cache\n");
  weir_file* file = make_and_open();
  std::vector<signed char> small(1);
  const std::int64_t start[] = {0, 0, 0, is_last() ? columns - 1 : 1}, count[] = {1, 1, 1, 1};
  EXPECT_EQ(weir_get_vara_all(file, salt_, start, count, WEIR_BYTE, small.data()), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(small[0], is_last() ? columns - 1 : 1);
  const std::int64_t far[] = {is_last() ? 1 : 1, 0, 0, 0};
  expect_same({weir_get_vara_all(file, salt_, far, count, WEIR_BYTE, small.data()), weir_error(weir_)}, WEIR_ERANGE,
              {"rank 0", "1 value(s) do not fit", "salt"});
  EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
}

TEST_F(CollectiveTest, TellsAllRanksOfAFileThatChangedUnderneath) {
  start("strategy: remap\ndurability: cache\nbuffer_limit: 256KiB\n");
  weir_file* file = make_and_open("short.nc");
  by_halo_ = layout(halo_start(), halo_count());
  std::vector<double> room(static_cast<std::size_t>(elements()), -1);
  const auto get = [&] {
    return faults::Outcome{weir_get(file, salt_, 1, by_halo_, WEIR_DOUBLE, room.data()), weir_error(weir_)};
  };
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_ == 0) {
    ASSERT_EQ(::truncate(path("short.nc").c_str(), static_cast<off_t>(2 * elements() * 8 - 8)), 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  expect_same(get(), WEIR_EIO, {"short.nc", "truncated", "salt"});
  EXPECT_TRUE(std::all_of(room.begin(), room.end(), [](double value) { return value == -1; }));
  EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
  MPI_Barrier(MPI_COMM_WORLD);

  file = make_and_open("gone.nc");
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_ == 0) {
    std::filesystem::rename(path("short.nc"), path("gone.nc"));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  expect_same(get(), WEIR_EIO, {"gone.nc", "no longer the file"});
  EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
}

TEST_F(CollectiveTest, WaitsForARankThatDoesNotComeForItsTime) {
  if (ranks_ != 4) GTEST_SKIP() << "wants a rank that does not come, once";
  start("strategy: remap\ndurability: cache\ntimeout: 3\n");
  weir_file* file = make_and_open();
  by_halo_ = layout(halo_start(), halo_count());
  std::vector<double> room(static_cast<std::size_t>(elements()));
  if (!is_last()) {
    EXPECT_EQ(weir_get(file, salt_, 0, by_halo_, WEIR_DOUBLE, room.data()), WEIR_ETIMEOUT);
    EXPECT_NE(std::string(weir_error(weir_)).find("get of \"salt\""), std::string::npos) << weir_error(weir_);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  end();
}

}  // namespace
