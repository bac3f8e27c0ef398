// SPDX-License-Identifier: Apache-2.0
// ranks: 1 4
// A program that knows nothing of streams puts an hourly file, and the configuration makes daily means of it: the same
// as a loop over what the hourly file has.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "written_files.hpp"

namespace {

constexpr std::int64_t source_columns = 5;
constexpr float source_fill = 1e20F;

float source_sample(std::int64_t hour, std::int64_t element) {
  if ((hour + element) % 7 == 0) return source_fill;
  return std::cos(static_cast<float>(hour) * 0.3F + static_cast<float>(element)) * 10;
}

class FeedTest : public weir::streams_tests::WrittenFilesTest {
 protected:
  enum class Time { first, last, never };

  std::int64_t rows() const { return 2 * ranks_; }
  std::int64_t size() const { return rows() * source_columns; }

  // `more`: keys of the stream.
  std::string config(const std::string& more) const {
    return "strategy: dynamic\nstreams:\n  daily:\n    of: \"hourly*\"\n    file: \"" + path("daily.nc") +
           "\"\n    every: 1 day\n    as: mean\n" + more;
  }

  void create(const std::string& name, int mode, const char* units = "hours since 1990-01-30") {
    define(name, mode, units);
    ASSERT_EQ(put_coordinate(), WEIR_OK) << weir_file_error(file_);
  }

  void define(const std::string& name, int mode, const char* units) {
    int time, y, x;
    ASSERT_EQ(weir_create(weir_, path(name).c_str(), mode, &file_), WEIR_OK) << weir_error(weir_);
    weir_def_dim(file_, "time", WEIR_UNLIMITED, &time);
    weir_def_dim(file_, "y", rows(), &y);
    weir_def_dim(file_, "x", source_columns, &x);
    const int all[] = {time, y, x};
    weir_def_var(file_, "time", WEIR_DOUBLE, 1, &time, &time_);
    if (units != nullptr) weir_put_att_text(file_, time_, "units", units);
    weir_put_att_text(file_, time_, "calendar", "noleap");
    weir_def_var(file_, "y", WEIR_DOUBLE, 1, &y, &y_);
    weir_def_var(file_, "sst", WEIR_FLOAT, 3, all, &sst_);
    weir_put_att(file_, sst_, "_FillValue", WEIR_FLOAT, 1, &source_fill);
    weir_put_att_text(file_, sst_, "units", "degC");
    weir_def_var(file_, "level", WEIR_DOUBLE, 1, &time, &level_);
    ASSERT_EQ(weir_enddef(file_), WEIR_OK) << weir_file_error(file_);
  }

  int put_coordinate() {
    std::vector<double> coordinate;
    for (std::int64_t i = 0; i < rows(); ++i) coordinate.push_back(0.5 * static_cast<double>(i));
    return weir_put_var(file_, y_, 0, WEIR_DOUBLE, coordinate.data());
  }

  int put_time(std::int64_t record, double hour) { return weir_put_var(file_, time_, record, WEIR_DOUBLE, &hour); }

  // The record that holds `hour`; returns the first error.
  int put(std::int64_t record, std::int64_t hour, Time when) {
    if (when == Time::first)
      if (const int code = put_time(record, static_cast<double>(hour)); code != WEIR_OK) return code;
    std::vector<float> values;
    for (std::int64_t i = 0; i < 2 * source_columns; ++i)
      values.push_back(source_sample(hour, 2 * rank_ * source_columns + i));
    const std::int64_t start[] = {record, 2 * rank_, 0}, count[] = {1, 2, source_columns};
    if (const int code = weir_put_vara(file_, sst_, start, count, WEIR_FLOAT, values.data()); code != WEIR_OK)
      return code;
    values.assign(values.size(), -1);  // the caller's again
    const double level = 0.25 * static_cast<double>(hour);
    if (const int code = weir_put_var(file_, level_, record, WEIR_DOUBLE, &level); code != WEIR_OK) return code;
    return when == Time::last ? put_time(record, static_cast<double>(hour)) : WEIR_OK;
  }

  // The means of two days, of hours (0, 24] and (24, 48].
  void expect_daily_means(const std::vector<double>& hourly) {
    const std::vector<double> daily = read("daily.nc", "sst");
    ASSERT_EQ(daily.size(), static_cast<std::size_t>(2 * size()));
    for (std::int64_t day = 0; day < 2; ++day)
      for (std::int64_t i = 0; i < size(); ++i) {
        double sum = 0;
        int valid = 0;
        for (std::int64_t record = 24 * day; record < 24 * (day + 1); ++record) {
          const double value = hourly[static_cast<std::size_t>(record * size() + i)];
          if (value == static_cast<double>(source_fill)) continue;
          sum += value;
          ++valid;
        }
        EXPECT_EQ(daily[static_cast<std::size_t>(day * size() + i)],
                  static_cast<double>(static_cast<float>(sum / valid)))
            << day << ' ' << i;
      }
    EXPECT_EQ(read("daily.nc", "time"), (std::vector<double>{12, 36}));
    EXPECT_EQ(read("daily.nc", "time_bnds"), (std::vector<double>{0, 24, 24, 48}));
    EXPECT_EQ(read("daily.nc", "level"), (std::vector<double>{0.25 * 12.5, 0.25 * 36.5}));
    EXPECT_EQ(read("daily.nc", "y").size(), static_cast<std::size_t>(rows()));
  }

  std::vector<double> put_of_all_hours() const {
    std::vector<double> values;
    for (std::int64_t hour = 1; hour <= 48; ++hour)
      for (std::int64_t i = 0; i < size(); ++i) values.push_back(static_cast<double>(source_sample(hour, i)));
    return values;
  }

  weir_file* file_ = nullptr;
  int time_ = -1, y_ = -1, sst_ = -1, level_ = -1;
};

const std::pair<int, const char*> source_files[] = {
    {0, "hourly.nc"}, {WEIR_NETCDF4, "hourly4.nc"}, {WEIR_ZARR, "hourly.zarr"}};
constexpr const char* both = "    fields: [sst, level]\n";

TEST_F(FeedTest, MakesDailyMeansOfAnHourlyFileInAllFormats) {
  for (const auto& [mode, name] : source_files)
    for (const Time when : {Time::first, Time::last}) {
      SCOPED_TRACE(name);
      start(config(both));
      create(name, mode);
      for (int hour = 1; hour <= 48; ++hour) ASSERT_EQ(put(hour - 1, hour, when), WEIR_OK) << weir_file_error(file_);
      ASSERT_EQ(weir_close(file_), WEIR_OK) << weir_error(weir_);
      const auto ended = end();
      ASSERT_EQ(ended.code, WEIR_OK) << ended.message;
      if (rank_ == 0) expect_daily_means(read(name, "sst"));
      MPI_Barrier(MPI_COMM_WORLD);
    }
}

TEST_F(FeedTest, KeepNoLeavesDefinitionsAndFixedVariables) {
  for (const auto& [mode, name] : source_files) {
    SCOPED_TRACE(name);
    start(config("    keep: no\n    fields: [\"*\"]\n"));
    create(name, mode);
    for (int hour = 1; hour <= 48; ++hour)
      ASSERT_EQ(put(hour - 1, hour, Time::last), WEIR_OK) << weir_file_error(file_);
    ASSERT_EQ(weir_close(file_), WEIR_OK) << weir_error(weir_);
    const auto ended = end();
    ASSERT_EQ(ended.code, WEIR_OK) << ended.message;
    if (rank_ == 0) {
      expect_daily_means(put_of_all_hours());
      EXPECT_EQ(read(name, "sst").size(), 0U);
      EXPECT_EQ(read(name, "time").size(), 0U);
      EXPECT_EQ(read(name, "y").size(), static_cast<std::size_t>(rows()));
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

TEST_F(FeedTest, GoesOnWithTheNextFileInItsOwnUnits) {
  start(config(both));
  create("hourly1.nc", 0);
  for (int hour = 1; hour <= 30; ++hour) ASSERT_EQ(put(hour - 1, hour, Time::first), WEIR_OK) << weir_file_error(file_);
  ASSERT_EQ(weir_close(file_), WEIR_OK) << weir_error(weir_);
  create("hourly2.nc", 0, "minutes since 1990-01-30");
  for (int hour = 31; hour <= 48; ++hour) {
    ASSERT_EQ(put(hour - 31, hour, Time::never), WEIR_OK) << weir_file_error(file_);
    ASSERT_EQ(put_time(hour - 31, 60.0 * hour), WEIR_OK) << weir_file_error(file_);
  }
  ASSERT_EQ(weir_close(file_), WEIR_OK) << weir_error(weir_);
  ASSERT_EQ(end().code, WEIR_OK);
  if (rank_ == 0) expect_daily_means(put_of_all_hours());
}

// What had come of the first one stays in the means; records that waited for their time do not.
TEST_F(FeedTest, GoesOnAfterAFileThatFailed) {
  start(config(both));
  create("hourly1.nc", 0);
  for (int hour = 1; hour <= 30; ++hour) ASSERT_EQ(put(hour - 1, hour, Time::first), WEIR_OK) << weir_file_error(file_);
  ASSERT_EQ(put(30, 99, Time::never), WEIR_OK) << weir_file_error(file_);
  const std::int64_t start_of_all[] = {31, rank_ == 0 ? 1'000 : 2 * rank_, 0}, count[] = {1, 2, source_columns};
  const std::vector<float> values(static_cast<std::size_t>(2 * source_columns), 1);
  EXPECT_NE(weir_put_vara(file_, sst_, start_of_all, count, WEIR_FLOAT, values.data()), WEIR_OK);
  EXPECT_NE(weir_close(file_), WEIR_OK);
  create("hourly2.nc", 0);
  for (int hour = 31; hour <= 48; ++hour)
    ASSERT_EQ(put(hour - 31, hour, Time::last), WEIR_OK) << weir_file_error(file_);
  ASSERT_EQ(weir_close(file_), WEIR_OK) << weir_error(weir_);
  static_cast<void>(end());
  if (rank_ == 0) expect_daily_means(put_of_all_hours());
}

TEST_F(FeedTest, TellsATimeThatGoesBackAndLeavesWholeFiles) {
  start(config(both));
  create("hourly.nc", 0);
  for (int hour = 1; hour <= 30; ++hour) ASSERT_EQ(put(hour - 1, hour, Time::first), WEIR_OK) << weir_file_error(file_);
  EXPECT_EQ(put(30, 29, Time::first), WEIR_EARGUMENT);
  const std::string message = weir_file_error(file_);
  EXPECT_NE(message.find("stream daily: the field sst is sent for"), message.npos) << message;
  ASSERT_EQ(weir_close(file_), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(end().code, WEIR_EARGUMENT);
  if (rank_ != 0) return;
  EXPECT_EQ(read("hourly.nc", "sst").size(), static_cast<std::size_t>(31 * size()));
  EXPECT_EQ(read("daily.nc", "sst").size(), static_cast<std::size_t>(size()));
}

TEST_F(FeedTest, TellsAFileWithoutTimes) {
  start(config(both));
  define("hourly.nc", 0, nullptr);
  EXPECT_EQ(put_coordinate(), WEIR_EARGUMENT);
  const std::string message = weir_file_error(file_);
  EXPECT_NE(message.find("has no coordinate variable of numbers time(time)"), message.npos) << message;
  weir_close(file_);
  static_cast<void>(end());
}

TEST_F(FeedTest, TellsARecordWithoutATime) {
  start(config(both));
  create("hourly.nc", 0);
  ASSERT_EQ(put(0, 1, Time::never), WEIR_OK) << weir_file_error(file_);
  EXPECT_EQ(put(1, 2, Time::never), WEIR_EARGUMENT);
  const std::string message = weir_file_error(file_);
  EXPECT_NE(message.find("has no time: put the time of each record before the next record"), message.npos) << message;
  weir_close(file_);
  static_cast<void>(end());
}

TEST_F(FeedTest, AFileThatNeverComesIsNoError) {
  start(config(both));
  EXPECT_EQ(end().code, WEIR_OK);
}

}  // namespace
