// SPDX-License-Identifier: Apache-2.0
// ranks: 1 4 7
// A run that is stopped and goes on leaves what a run without a stop leaves.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sent_fields.hpp"

namespace weir::streams_tests {

namespace {

constexpr const char* unfinished_means = R"(    every: 1 day
    split: 1 month
    unfinished: write
    fields: {sst: mean}
)";

class StreamRestartTest : public SentFieldsTest {};

// The run is stopped after each of many hours, and goes on with another layout in memory.
TEST_F(StreamRestartTest, GoesOnToTheBitAfterAStop) {
  const std::string restart = "restart: \"" + path("restart_{time}.nc") + "\"\n";
  const auto run = [&](int from, int to, int halo, bool ends) {
    start(config(daily_means, restart));
    define(halo);
    begin_time(from);
    for (int hour = from + 1; hour <= to; ++hour) ASSERT_EQ(send(hour), WEIR_OK) << weir_error(weir_);
    if (!ends) {
      ASSERT_EQ(weir_sync_all(weir_), WEIR_OK) << weir_error(weir_);
      // It computes past the checkpoint, and what it writes then does not count.
      for (int hour = to + 1; hour <= to + 30; ++hour) ASSERT_EQ(send(hour), WEIR_OK) << weir_error(weir_);
    }
    const auto ended = end();
    ASSERT_EQ(ended.code, WEIR_OK) << ended.message;
  };
  run(0, 96, 1, true);
  const std::string january = contents(path("daily_1990-01.nc")), february = contents(path("daily_1990-02.nc"));
  for (const int stop : {1, 23, 24, 25, 47, 48, 49, 71, 72, 73}) {
    MPI_Barrier(team_);
    if (rank_ == 0)
      for (const auto& entry : faults::fs::directory_iterator(folder_)) faults::fs::remove(entry.path());
    MPI_Barrier(team_);
    run(0, stop, 1, false);
    run(stop, 96, 2, true);
    if (rank_ != 0) continue;
    EXPECT_TRUE(contents(path("daily_1990-01.nc")) == january) << stop;
    EXPECT_TRUE(contents(path("daily_1990-02.nc")) == february) << stop;
  }
}

// A run goes beyond its restart file, and the run that goes on ends earlier: files that began behind it are gone.
TEST_F(StreamRestartTest, LeavesNoFileThatBeganBehindTheRestart) {
  const std::string config =
      "restart: \"" + path("restart_{time}.nc") + "\"\nfiles: {\"day_*\": {done_marker: yes}}\n" +
      "streams:\n  packed: {file: \"" + path("day_{time:%Y%m%d}.zarr") +
      "\", format: zarr, every: 6 hours, split: 1 day, fields: {sst: mean}}\n  whole: {file: \"" +
      path("day_{time:%Y%m%d}.nc") + "\", every: 1 day, split: 1 day, fields: {sst: mean}}\n";
  const auto run = [&](int from, int to) {
    start(config);
    define();
    begin_time(from);
    for (int hour = from + 1; hour <= to; ++hour) ASSERT_EQ(send(hour), WEIR_OK) << weir_error(weir_);
    ASSERT_EQ(weir_sync_all(weir_), WEIR_OK) << weir_error(weir_);
    for (int hour = to + 1; from == 0 && hour <= to + 60; ++hour) ASSERT_EQ(send(hour), WEIR_OK) << weir_error(weir_);
    ASSERT_EQ(end().code, WEIR_OK);
  };
  run(0, 28);
  if (rank_ == 0) {
    for (const char* name : {"day_19900201.zarr", "day_19900201.nc"}) {
      EXPECT_TRUE(faults::fs::exists(path(name)));
      EXPECT_TRUE(faults::fs::exists(path(std::string(name) + ".done")));
    }
    std::ofstream(path("day_19900301.txt")) << "another's";
  }
  run(28, 30);
  if (rank_ != 0) return;
  EXPECT_TRUE(faults::fs::exists(path("day_19900131.zarr")));
  EXPECT_FALSE(faults::fs::exists(path("day_19900201.zarr")));
  EXPECT_TRUE(faults::fs::exists(path("day_19900130.nc")));
  EXPECT_FALSE(faults::fs::exists(path("day_19900131.nc"))) << "its day is not over";
  EXPECT_FALSE(faults::fs::exists(path("day_19900201.nc")));
  EXPECT_TRUE(faults::fs::exists(path("day_19900130.nc.done")));
  for (const char* name : {"day_19900201.zarr.done", "day_19900131.nc.done", "day_19900201.nc.done"})
    EXPECT_FALSE(faults::fs::exists(path(name))) << name;
  EXPECT_TRUE(faults::fs::exists(path("day_19900301.txt")));
}

// A run that writes the interval which its end cuts off, and goes on: the interval is whole then.
TEST_F(StreamRestartTest, CompletesAnIntervalThatWasWrittenUnfinished) {
  const std::string restart = "restart: \"" + path("restart_{time}.nc") + "\"\n";
  const auto run = [&](int from, int to) {
    start(config(unfinished_means, restart));
    define();
    begin_time(from);
    for (int hour = from + 1; hour <= to; ++hour) ASSERT_EQ(send(hour), WEIR_OK) << weir_error(weir_);
    const auto ended = end();
    ASSERT_EQ(ended.code, WEIR_OK) << ended.message;
  };
  for (const int stop : {10, 30, 50}) {
    run(0, stop);
    if (rank_ == 0 && stop == 30) {
      EXPECT_EQ(read("daily_1990-01.nc", "time_bnds"), (std::vector<double>{0, 24, 24, 30}));
    }
    run(stop, 72);
    if (rank_ == 0) {
      const std::vector<double> january = read("daily_1990-01.nc", "sst");
      EXPECT_EQ(read("daily_1990-01.nc", "time_bnds"), (std::vector<double>{0, 24, 24, 48})) << stop;
      ASSERT_EQ(january.size(), static_cast<std::size_t>(2 * size())) << stop;
      for (std::int64_t i = 0; i < size(); ++i) {
        EXPECT_EQ(january[static_cast<std::size_t>(i)], mean(0, 24, i)) << stop << ", element " << i;
        EXPECT_EQ(january[static_cast<std::size_t>(size() + i)], mean(24, 48, i)) << stop << ", element " << i;
      }
      EXPECT_EQ(read("daily_1990-02.nc", "time_bnds"), (std::vector<double>{48, 72})) << stop;
      for (const auto& entry : faults::fs::directory_iterator(folder_)) faults::fs::remove(entry.path());
    }
    MPI_Barrier(team_);
  }
}

// A field that is sent less often goes on from its own last sample, not from the time of the restart.
TEST_F(StreamRestartTest, KnowsEachFieldsLastSampleAfterAStop) {
  const std::string restart = "restart: \"" + path("restart_{time}.nc") + "\"\n";
  const auto run = [&](int from, int to) {
    start(config("    every: 1 day\n    weighted: yes\n    fields: {sst: mean, level: mean}\n", restart));
    define();
    begin_time(from);
    const std::vector<float> values(static_cast<std::size_t>(4 * (columns + 2)), 1);
    for (int hour = from + 1; hour <= to; ++hour) {
      ASSERT_EQ(weir_send(weir_, sst_, hour, WEIR_FLOAT, values.data()), WEIR_OK) << weir_error(weir_);
      const double level = hour;
      if (hour % 8 != 0) continue;
      ASSERT_EQ(weir_send(weir_, level_, hour, WEIR_DOUBLE, &level), WEIR_OK) << weir_error(weir_);
    }
    const auto ended = end();
    ASSERT_EQ(ended.code, WEIR_OK) << ended.message;
  };
  run(0, 13);
  run(13, 24);
  if (rank_ != 0) return;
  EXPECT_EQ(read("daily_1990-01.nc", "level"), (std::vector<double>{16}));
}

// Servers take part in what the model's ranks agree on: the definitions, coordinates of a box, a restart.
TEST_F(StreamRestartTest, GoesToServers) {
  if (ranks_ < 2) return;
  const std::string text = "strategy: servers\nservers: 1\nrestart: \"" + path("restart_{time}.nc") +
                           "\"\nstreams: {daily: {file: \"" + path("served.nc") +
                           "\", every: 1 day, fields: {sst: mean, level: mean}, box: {y: {from: 0.5, to: 1}}}}\n";
  --ranks_;
  for (const int from : {0, 13}) {
    start(text);
    if (weir_ == nullptr) continue;
    define();
    begin_time(from);
    for (int hour = from + 1; hour <= (from == 0 ? 13 : 24); ++hour)
      ASSERT_EQ(send(hour), WEIR_OK) << weir_error(weir_);
    const auto ended = end();
    ASSERT_EQ(ended.code, WEIR_OK) << ended.message;
  }
  if (rank_ != 0) return;
  const std::vector<double> sst = read("served.nc", "sst");
  const std::int64_t rows_kept = std::min<std::int64_t>(2, rows() - 1);
  ASSERT_EQ(sst.size(), static_cast<std::size_t>(rows_kept * columns));
  for (std::int64_t i = 0; i < std::ssize(sst); ++i)
    EXPECT_EQ(sst[static_cast<std::size_t>(i)], mean(0, 24, columns + i)) << i;
  EXPECT_EQ(read("served.nc", "level"), (std::vector<double>{0.25 * 12.5}));
}

// A start that is refused after a restart file was read leaves all files as they are.
TEST_F(StreamRestartTest, ChangesNothingByAStartThatIsRefused) {
  const std::string restart = "restart: \"" + path("restart_{time}.nc") + "\"\n";
  const auto two = [&](const char* fields) {
    return restart + "streams:\n  a: {file: \"" + path("a_{time:%Y%m%d}.nc") +
           "\", every: 1 day, split: 1 day, unfinished: write, fields: {sst: mean}}\n  b: {file: \"" + path("b.nc") +
           "\", every: 6 hours, fields: {" + fields + "}}\n";
  };
  start(two("level: mean"));
  define();
  begin_time(0);
  for (int hour = 1; hour <= 30; ++hour) ASSERT_EQ(send(hour), WEIR_OK) << weir_error(weir_);
  ASSERT_EQ(end().code, WEIR_OK);
  MPI_Barrier(team_);
  const std::string of_a = contents(path("a_19900131.nc")), of_b = contents(path("b.nc"));
  start(two("level: maximum"));
  define();
  EXPECT_EQ(weir_start_streams(weir_, "hours since 1990-01-30 00:00:00", "noleap", 30), WEIR_ECONFIG);
  EXPECT_NE(std::string(weir_error(weir_)).find("level was mean of level"), std::string::npos) << weir_error(weir_);
  EXPECT_EQ(send(31), WEIR_ESTATE);
  end();
  MPI_Barrier(team_);
  EXPECT_EQ(contents(path("a_19900131.nc")), of_a);
  EXPECT_EQ(contents(path("b.nc")), of_b);
}

}  // namespace

}  // namespace weir::streams_tests
