// SPDX-License-Identifier: Apache-2.0
// ranks: 1 4 7
// A model sends fields; what streams leave is what the model's values give.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sent_fields.hpp"

namespace weir::streams_tests {

namespace {

using Json = nlohmann::json;

class StreamsTest : public SentFieldsTest {};

TEST_F(StreamsTest, MakesDailyMeansInMonthlyFiles) {
  start(config(daily_means));
  define();
  begin_time(0);
  for (int hour = 1; hour <= 72; ++hour) ASSERT_EQ(send(hour), WEIR_OK) << weir_error(weir_);
  const auto ended = end();
  ASSERT_EQ(ended.code, WEIR_OK) << ended.message;
  if (rank_ != 0) return;
  const std::vector<double> january = read("daily_1990-01.nc", "sst"), february = read("daily_1990-02.nc", "sst");
  ASSERT_EQ(january.size(), static_cast<std::size_t>(2 * size()));
  ASSERT_EQ(february.size(), static_cast<std::size_t>(size()));
  for (std::int64_t i = 0; i < size(); ++i) {
    EXPECT_EQ(january[static_cast<std::size_t>(i)], mean(0, 24, i)) << i;
    EXPECT_EQ(january[static_cast<std::size_t>(size() + i)], mean(24, 48, i)) << i;
    EXPECT_EQ(february[static_cast<std::size_t>(i)], mean(48, 72, i)) << i;
  }
  EXPECT_EQ(read("daily_1990-01.nc", "time"), (std::vector<double>{12, 36}));
  EXPECT_EQ(read("daily_1990-01.nc", "time_bnds"), (std::vector<double>{0, 24, 24, 48}));
  EXPECT_EQ(read("daily_1990-01.nc", "y").size(), static_cast<std::size_t>(rows()));
  EXPECT_EQ(read("daily_1990-01.nc", "level").front(), 0.25 * 12.5);
}

// A file of a stream has a marker from its end on: the key of the stream counts more than the run's.
TEST_F(StreamsTest, MarksEachFileThatHasEnded) {
  start("done_marker: yes\nstreams:\n  days: {file: \"" + path("day_{time:%Y%m%d}.nc") +
        "\", every: 6 hours, split: 1 day, fields: {sst: mean}}\n  quiet: {file: \"" + path("quiet.nc") +
        "\", every: 1 day, done_marker: no, fields: {sst: mean}}\n");
  define();
  begin_time(0);
  const auto there = [&](const std::string& name) {
    MPI_Barrier(team_);
    const bool exists = faults::fs::exists(path(name));
    MPI_Barrier(team_);
    return exists;
  };
  for (int hour = 1; hour <= 50; ++hour) {
    ASSERT_EQ(send(hour), WEIR_OK) << weir_error(weir_);
    EXPECT_EQ(there("day_19900130.nc.done"), hour >= 30) << hour;
    EXPECT_FALSE(there("day_19900131.nc.done")) << hour;
  }
  ASSERT_EQ(end().code, WEIR_OK);
  EXPECT_TRUE(there("day_19900131.nc.done"));
  EXPECT_TRUE(there("quiet.nc"));
  EXPECT_FALSE(there("quiet.nc.done"));
  if (rank_ != 0) return;
  const Json marker = Json::parse(contents(path("day_19900131.nc.done")));
  EXPECT_EQ(marker.at("records"), 4);
  EXPECT_EQ(marker.at("times"),
            Json({{"variable", "time"}, {"units", "hours since 1990-01-30 00:00:00"}, {"first", 27}, {"last", 45}}));
}

// No interval ends at the start of a run, so a stream with a mean has no record there.
TEST_F(StreamsTest, HasNoEmptyIntervalBesideInstants) {
  start("streams: {mixed: {file: \"" + path("mixed.nc") +
        "\", every: 6 hours, stamp: end, fields: {level: instant, sst: mean}}}\n");
  define();
  begin_time(0);
  for (int hour = 0; hour <= 12; ++hour) ASSERT_EQ(send(hour), WEIR_OK) << weir_error(weir_);
  ASSERT_EQ(end().code, WEIR_OK);
  if (rank_ != 0) return;
  EXPECT_EQ(read("mixed.nc", "time_bnds"), (std::vector<double>{0, 6, 6, 12}));
  EXPECT_EQ(read("mixed.nc", "level"), (std::vector<double>{0.25 * 6, 0.25 * 12}));
}

TEST_F(StreamsTest, CommitsAsOftenAsItIsTold) {
  start("streams:\n  fours: {file: \"" + path("fours.nc") + "\", every: 1 hour, commit: 4 records, fields: [level]}\n" +
        "  halves: {file: \"" + path("halves.nc") + "\", every: 1 hour, commit: 6 hours, as: mean, fields: [level]}\n" +
        "  each: {file: \"" + path("each.nc") + "\", every: 1 hour, as: mean, fields: [level]}\n");
  define();
  begin_time(0);
  const double level = 7;
  const std::pair<int, std::vector<std::size_t>> committed[] = {{4, {4, 0, 3}}, {8, {8, 6, 7}}, {12, {12, 6, 11}}};
  int hour = 0;
  for (const auto& [until, records] : committed) {
    for (; hour <= until; ++hour) ASSERT_EQ(weir_send(weir_, level_, hour, WEIR_DOUBLE, &level), WEIR_OK);
    if (rank_ == 0) {
      EXPECT_EQ(read("fours.nc", "level").size(), records[0]) << until;
      EXPECT_EQ(records[1] == 0 || read("halves.nc", "level").size() == records[1], true) << until;
      EXPECT_EQ(read("each.nc", "level").size(), records[2]) << until;
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ASSERT_EQ(end().code, WEIR_OK);
  if (rank_ == 0) {
    EXPECT_EQ(read("fours.nc", "level").size(), 13U);
    EXPECT_EQ(read("halves.nc", "level").size(), 12U);
  }
}

TEST_F(StreamsTest, NamesFilesByTheirEnd) {
  start("streams: {daily: {file: \"" + path("sst_{time:%Y%m}-{end:%Y%m}.nc") +
        "\", every: 1 day, split: 2 months, type: double, as: mean, fields: [sst]}}\n");
  define();
  begin_time(0);
  for (int hour = 1; hour <= 48; ++hour) ASSERT_EQ(send(hour), WEIR_OK) << weir_error(weir_);
  ASSERT_EQ(end().code, WEIR_OK);
  if (rank_ == 0) {
    EXPECT_EQ(read("sst_199001-199002.nc", "time"), (std::vector<double>{12, 36}));
  }
}

// An instant's file has the instant's date, also where each has a file of its own.
TEST_F(StreamsTest, MakesAFileOfEachInstant) {
  start("streams: {snap: {file: \"" + path("snap_{time:%Y%m%dT%H}.nc") +
        "\", every: 6 hours, split: 1 record, fields: [level]}}\n");
  define();
  begin_time(0);
  for (const int hour : {0, 6, 12}) ASSERT_EQ(send(hour), WEIR_OK) << weir_error(weir_);
  ASSERT_EQ(end().code, WEIR_OK);
  if (rank_ != 0) return;
  EXPECT_EQ(read("snap_19900130T00.nc", "time"), (std::vector<double>{0}));
  EXPECT_EQ(read("snap_19900130T06.nc", "time"), (std::vector<double>{6}));
  EXPECT_EQ(read("snap_19900130T12.nc", "time"), (std::vector<double>{12}));
}

// Fill values of 64 bits, which no double holds: _FillValue is the model's missing_value where it gives that alone.
TEST_F(StreamsTest, GivesWholeNumbersTheirFillValue) {
  start("streams: {a: {file: \"" + path("whole.nc") + "\", every: 2 steps, as: minimum, fields: [days, count]}}\n");
  int days = -1, count = -1;
  const std::int64_t none = -9223372036854775805;
  const std::uint64_t all = 18446744073709551613U;
  ASSERT_EQ(weir_def_field(weir_, "days", WEIR_INT64, 0, nullptr, -1, &days), WEIR_OK);
  ASSERT_EQ(weir_put_field_att(weir_, days, "missing_value", WEIR_INT64, 1, &none), WEIR_OK);
  ASSERT_EQ(weir_def_field(weir_, "count", WEIR_UINT64, 0, nullptr, -1, &count), WEIR_OK);
  ASSERT_EQ(weir_put_field_att(weir_, count, "missing_value", WEIR_UINT64, 1, &all), WEIR_OK);
  begin_time(0);
  for (int hour = 1; hour <= 2; ++hour) {
    ASSERT_EQ(weir_send(weir_, days, hour, WEIR_INT64, &none), WEIR_OK) << weir_error(weir_);
    ASSERT_EQ(weir_send(weir_, count, hour, WEIR_UINT64, &all), WEIR_OK) << weir_error(weir_);
  }
  const auto ended = end();
  ASSERT_EQ(ended.code, WEIR_OK) << ended.message;
  MPI_Barrier(team_);
  start();
  weir_file* file = nullptr;
  ASSERT_EQ(weir_open(weir_, path("whole.nc").c_str(), WEIR_NOWRITE, &file), WEIR_OK) << weir_error(weir_);
  const std::int64_t at[] = {0}, length[] = {1};
  std::int64_t found_days = 0;
  std::uint64_t found_count = 0;
  std::int64_t file_fill = 0;
  int var = -1;
  weir_inq_varid(file, "days", &var);
  EXPECT_EQ(weir_get_att(file, var, "_FillValue", &file_fill), WEIR_OK);
  EXPECT_EQ(file_fill, none);
  EXPECT_EQ(weir_get_vara(file, var, at, length, WEIR_INT64, &found_days), WEIR_OK);
  weir_inq_varid(file, "count", &var);
  EXPECT_EQ(weir_get_vara(file, var, at, length, WEIR_UINT64, &found_count), WEIR_OK);
  EXPECT_EQ(found_days, none);
  EXPECT_EQ(found_count, all);
  EXPECT_EQ(weir_close(file), WEIR_OK);
}

}  // namespace

}  // namespace weir::streams_tests
