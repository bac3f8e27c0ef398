// ranks: 1 4 7
// SPDX-License-Identifier: Apache-2.0
// Hosts that read for themselves: where each wants large pieces of its own, one rank of it reads what its ranks want,
// each of its bytes once, and from the file opened once. Where hosts want much in common, or short pieces, owners read
// by range, and nothing leaves storage twice. Which way was taken shows in the bytes.
#include <unistd.h>

#include <algorithm>

#include "read/reading_fixture.hpp"

namespace {

using reading::columns;
using reading::Json;
using reading::levels;
using reading::rows_each;

// Of several hosts of so many ranks each, whose ranks reach each other's memory.
class ByHostTest : public reading::ReadingTest {
 protected:
  void start_on_hosts(int ranks_each, const std::string& more = "") {
    each_ = ranks_each;
    start("durability: cache\ndebug.ranks_per_host: " + std::to_string(each_) + "\n" + more);
  }
  int hosts() const { return (ranks_ + each_ - 1) / each_; }
  int first_rank(int host) const { return host * each_; }
  int end_rank(int host) const { return std::min(first_rank(host) + each_, ranks_); }

  // The rows of a host's ranks, with one of the neighbours' on either side.
  std::int64_t first_row(int host) const { return std::max<std::int64_t>(rows_each * first_rank(host) - 1, 0); }
  std::int64_t end_row(int host) const { return std::min(rows_each * end_rank(host) + 1, rows()); }
  // Of them this rank's columns, with one of the neighbours' on either side: short pieces of long ones.
  void want_of_host() {
    const int host = rank_ / each_, ranks = end_rank(host) - first_rank(host), place = rank_ - first_rank(host);
    const std::int64_t first = std::max<std::int64_t>(columns * place / ranks - 1, 0);
    start_ = {0, first_row(host), first};
    count_ = {levels, end_row(host) - start_[1], std::min(columns * (place + 1) / ranks + 1, columns) - first};
    wanted_ = layout(start_, count_);
  }
  std::int64_t bytes_of_hosts() const {
    std::int64_t all = 0;
    for (int host = 0; host < hosts(); ++host) all += end_row(host) - first_row(host);
    return all * levels * columns * 8;
  }
  void expect_values(weir_file* file, std::int64_t record) {
    const std::vector<double> right = values(start_, count_, record);
    std::vector<double> found(right.size(), -1);
    ASSERT_EQ(weir_get(file, salt_, record, wanted_, WEIR_DOUBLE, found.data()), WEIR_OK) << weir_error(weir_);
    EXPECT_EQ(found, right);
  }
  std::int64_t bytes_read() { return report()["reading"]["bytes_read"]; }

  int each_ = 2, wanted_ = -1;
  Triple start_{}, count_{};
};

TEST_F(ByHostTest, ReadsWhatAHostWantsOnceForAllItsRanks) {
  for (const int ranks_each : {2, 3}) {
    SCOPED_TRACE(ranks_each);
    start_on_hosts(ranks_each);
    weir_file* file = make_and_open();
    want_of_host();
    for (std::int64_t record = 0; record < 2; ++record) expect_values(file, record);
    const Json told = report();
    EXPECT_EQ(told["hosts"], hosts());
    EXPECT_LE(told["reading"]["opens"], hosts());
    if (hosts() > 1) {
      EXPECT_EQ(told["reading"]["bytes_read"], 2 * bytes_of_hosts());
    }
    EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
    end();
  }
}

TEST_F(ByHostTest, ReadsBoxesSo) {
  start_on_hosts(2);
  weir_file* file = make_and_open();
  want_of_host();
  const std::int64_t start[] = {0, start_[0], start_[1], start_[2]}, count[] = {2, count_[0], count_[1], count_[2]};
  std::vector<double> right = values(start_, count_, 0);
  const std::vector<double> second = values(start_, count_, 1);
  right.insert(right.end(), second.begin(), second.end());
  std::vector<double> found(right.size(), -1);
  ASSERT_EQ(weir_get_vara_all(file, salt_, start, count, WEIR_DOUBLE, found.data()), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(found, right);
  if (hosts() > 1) {
    EXPECT_EQ(bytes_read(), 2 * bytes_of_hosts());
  }
  EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
}

// In rounds that its memory holds pieces would be short, and owners read.
TEST_F(ByHostTest, LeavesWhatHostsHaveInCommonAndShortPiecesToOwners) {
  for (const bool all : {true, false}) {
    SCOPED_TRACE(all ? "all" : "columns");
    start_on_hosts(2, "buffer_limit: 1MiB\n");
    weir_file* file = make_and_open();
    start_ = all ? Triple{0, 0, 0} : halo_start();
    count_ = all ? Triple{levels, rows(), columns} : halo_count();
    wanted_ = layout(start_, count_);
    expect_values(file, 1);
    const Json told = report();
    if (hosts() > 1) {
      EXPECT_EQ(told["reading"]["bytes_read"], elements() * 8);
    }
    EXPECT_LE(told["high_water_bytes"], 1 << 20);
    EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
    end();
  }
}

TEST_F(ByHostTest, TellsAllRanksOfAFileThatWasCutOff) {
  start_on_hosts(2);
  weir_file* file = make_and_open();
  want_of_host();
  expect_values(file, 0);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_ == 0) {
    ASSERT_EQ(::truncate(path().c_str(), static_cast<off_t>(2 * elements() * 8 - 8)), 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  std::vector<double> found(values(start_, count_, 1).size(), -1);
  const int code = weir_get(file, salt_, 1, wanted_, WEIR_DOUBLE, found.data());
  expect_same({code, weir_error(weir_)}, WEIR_EIO, {"file.nc", "truncated", "salt"});
  EXPECT_TRUE(std::all_of(found.begin(), found.end(), [](double value) { return value == -1; }));
  EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
}

}  // namespace
