// SPDX-License-Identifier: Apache-2.0
// ranks: 1 4 7
// A model sends fields; what streams leave is what the model's values give, also if the run was stopped and went on.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "written_files.hpp"

namespace {

using Json = nlohmann::json;

constexpr std::int64_t columns = 6;
constexpr float fill = 1e20F;

// What the model has at an hour: some elements are missing at some hours.
float sample(int hour, std::int64_t element) {
  if ((hour + element) % 11 == 0) return fill;
  return std::sin(static_cast<float>(hour) * 0.37F + static_cast<float>(element)) * 100;
}

class StreamsTest : public weir::streams_tests::WrittenFilesTest {
 protected:
  std::int64_t rows() const { return 2 * ranks_; }
  std::int64_t size() const { return rows() * columns; }

  // A field of two rows a rank, within a halo of one element.
  void define(int halo = 1) {
    const std::int64_t shape[] = {rows(), columns}, at[] = {2 * rank_, 0}, count[] = {2, columns};
    const std::int64_t memory[] = {2 + 2 * halo, columns + 2 * halo}, in[] = {halo, halo};
    halo_ = halo;
    ASSERT_EQ(weir_def_layout_subarray(weir_, 2, shape, at, count, nullptr, memory, in, &layout_), WEIR_OK);
    const char* const dims[] = {"y", "x"};
    ASSERT_EQ(weir_def_field(weir_, "sst", WEIR_FLOAT, 2, dims, layout_, &sst_), WEIR_OK) << weir_error(weir_);
    ASSERT_EQ(weir_put_field_att(weir_, sst_, "_FillValue", WEIR_FLOAT, 1, &fill), WEIR_OK);
    ASSERT_EQ(weir_put_field_att_text(weir_, sst_, "units", "degC"), WEIR_OK);
    const std::int64_t length[] = {rows()}, none[] = {0};
    const std::int64_t whole[] = {rows()};
    int layout = -1;
    ASSERT_EQ(weir_def_layout(weir_, 1, length, rank_ == 0 ? 1 : 0, none, whole, nullptr, &layout), WEIR_OK);
    ASSERT_EQ(weir_def_field(weir_, "y", WEIR_DOUBLE, 1, dims, layout, &y_), WEIR_OK);
    std::vector<double> coordinate;
    for (std::int64_t y = 0; y < rows(); ++y) coordinate.push_back(0.5 * static_cast<double>(y));
    ASSERT_EQ(weir_set_field(weir_, y_, WEIR_DOUBLE, coordinate.data()), WEIR_OK) << weir_error(weir_);
    ASSERT_EQ(weir_def_field(weir_, "level", WEIR_DOUBLE, 0, nullptr, -1, &level_), WEIR_OK) << weir_error(weir_);
  }

  void begin_time(int hour) {
    ASSERT_EQ(weir_start_streams(weir_, "hours since 1990-01-30 00:00:00", "noleap", hour), WEIR_OK)
        << weir_error(weir_);
  }

  int send(int hour) {
    const std::int64_t width = columns + 2 * halo_;
    std::vector<float> values(static_cast<std::size_t>((2 + 2 * halo_) * width), std::nanf(""));
    for (std::int64_t y = 0; y < 2; ++y)
      for (std::int64_t x = 0; x < columns; ++x)
        values[static_cast<std::size_t>((y + halo_) * width + x + halo_)] = sample(hour, (2 * rank_ + y) * columns + x);
    const int code = weir_send(weir_, sst_, hour, WEIR_FLOAT, values.data());
    const double level = hour * 0.25;
    return code != WEIR_OK ? code : weir_send(weir_, level_, hour, WEIR_DOUBLE, &level);
  }

  // A text attribute of a variable, read by this rank alone.
  std::string text(const std::string& name, const std::string& variable, const std::string& attribute) {
    weir_t* weir = nullptr;
    MPI_Comm alone = MPI_COMM_NULL;
    EXPECT_EQ(weir_init(MPI_COMM_SELF, "strategy: remap\n", &alone, &weir), WEIR_OK);
    weir_file* file = nullptr;
    EXPECT_EQ(weir_open(weir, path(name).c_str(), WEIR_NOWRITE, &file), WEIR_OK) << weir_error(weir);
    std::string found;
    if (file) {
      int var = -1;
      std::int64_t length = 0;
      EXPECT_EQ(weir_inq_varid(file, variable.c_str(), &var), WEIR_OK) << variable;
      EXPECT_EQ(weir_inq_att(file, var, attribute.c_str(), nullptr, &length), WEIR_OK) << attribute;
      found.resize(static_cast<std::size_t>(length));
      EXPECT_EQ(weir_get_att(file, var, attribute.c_str(), found.data()), WEIR_OK);
      weir_close(file);
    }
    weir_finalize(&weir);
    MPI_Comm_free(&alone);
    return found;
  }

  std::string config(const std::string& streams, const std::string& rest = "") const {
    return "strategy: dynamic\n" + rest + "streams:\n  daily:\n    file: \"" + path("daily_{time:%Y-%m}.nc") + "\"\n" +
           streams;
  }

  // The mean of the hours (begin, end] of an element: the library's order of sums.
  static double mean(int begin, int end, std::int64_t element) {
    double sum = 0;
    int valid = 0;
    for (int hour = begin + 1; hour <= end; ++hour) {
      if (sample(hour, element) == fill) continue;
      sum += static_cast<double>(sample(hour, element));
      ++valid;
    }
    return valid > 0 ? static_cast<double>(static_cast<float>(sum / valid)) : static_cast<double>(fill);
  }

  int halo_ = 1, layout_ = -1, sst_ = -1, y_ = -1, level_ = -1;
};

constexpr const char* daily_means = R"(    every: 1 day
    split: 1 month
    fields: {sst: mean, warmest: {of: sst, as: maximum}, level: mean}
)";

constexpr const char* unfinished_means = R"(    every: 1 day
    split: 1 month
    unfinished: write
    fields: {sst: mean}
)";

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

// A span of each sample that is folded: its bytes on this rank. Instants are not folded.
TEST_F(StreamsTest, TheTraceHasASpanOfEachFold) {
  const std::string noon = "  noon: {file: " + path("noon.nc") + ", every: 12 hours, fields: [sst]}\n";
  start(config(daily_means + noon, "trace: " + path("trace.json") + "\n"));
  define();
  begin_time(0);
  for (int hour = 1; hour <= 24; ++hour) ASSERT_EQ(send(hour), WEIR_OK) << weir_error(weir_);
  const char* text = nullptr;
  ASSERT_EQ(weir_report(weir_, &text), WEIR_OK) << weir_error(weir_);
  const double told = Json::parse(text)["streams"]["accumulate_seconds"]["mean"];
  ASSERT_EQ(end().code, WEIR_OK);
  if (rank_ != 0) return;
  std::ifstream file(path("trace.json"));
  const Json trace = Json::parse(file);
  std::int64_t spans = 0, bytes = 0;
  double seconds = 0;
  for (const Json& event : trace["traceEvents"]) {
    if (event.value("name", "") != "accumulate") continue;
    ++spans;
    bytes += event["args"]["bytes"].get<std::int64_t>();
    seconds += event["dur"].get<double>() / 1e6;
  }
  EXPECT_EQ(spans, 24 * 2 * ranks_);
  EXPECT_EQ(bytes, 24 * (size() * 4 + 8));
  EXPECT_NEAR(seconds, told * ranks_, 1e-5 * static_cast<double>(spans));
}

// A stream of instants takes none but the samples that it writes.
TEST_F(StreamsTest, SamplesThatNoStreamUsesAreNotTaken) {
  start(config("    every: 12 hours\n    fields: [sst]\n"));
  define();
  begin_time(0);
  for (int hour = 1; hour <= 24; ++hour) ASSERT_EQ(send(hour), WEIR_OK) << weir_error(weir_);
  const char* text = nullptr;
  ASSERT_EQ(weir_report(weir_, &text), WEIR_OK) << weir_error(weir_);
  const Json streams = Json::parse(text)["streams"];
  ASSERT_EQ(end().code, WEIR_OK);
  EXPECT_EQ(streams["bytes_sent"], 2 * size() * 4);
  EXPECT_EQ(streams["accumulate_seconds"]["max"], 0);
}

TEST_F(StreamsTest, TheReportTellsWhatStreamsTookAndPut) {
  start(config(daily_means));
  define();
  begin_time(0);
  for (int hour = 1; hour <= 72; ++hour) ASSERT_EQ(send(hour), WEIR_OK) << weir_error(weir_);
  const char* text = nullptr;
  ASSERT_EQ(weir_report(weir_, &text), WEIR_OK) << weir_error(weir_);
  const Json streams = Json::parse(text)["streams"];
  ASSERT_EQ(end().code, WEIR_OK);
  // 72 samples of a field of floats and of a double.
  EXPECT_EQ(streams["bytes_sent"], 72 * (size() * 4 + 8));
  // Three records with a mean, an extreme, a double, a time and its bounds; y in each of two files.
  const std::int64_t put = 3 * (size() * 8 + 8 + 8 + 16) + 2 * rows() * 8;
  EXPECT_EQ(streams["bytes_put"], put);
  // Sums and weights of two operations on this rank's elements, and of the scalar on rank 0 (no sample is missing).
  EXPECT_EQ(streams["accumulator_bytes"], 2 * 2 * 2 * columns * 8 + 8);
  EXPECT_GT(streams["accumulate_seconds"]["max"], 0);
  EXPECT_LE(streams["accumulate_seconds"]["mean"], streams["accumulate_seconds"]["max"]);
  ASSERT_EQ(streams["each"].size(), 1U);
  const Json daily = streams["each"][0];
  EXPECT_EQ(daily["name"], "daily");
  EXPECT_EQ(daily["fields"], 3);
  EXPECT_EQ(daily["files"], 2);
  EXPECT_EQ(daily["records"], 3);
  EXPECT_EQ(daily["bytes_put"], put);
}

// Values of up to 100 within 0.05, in floats and packed; instants within 1 %.
TEST_F(StreamsTest, KeepsABoundForTheError) {
  for (const char* const format : {"auto", "netcdf4", "zarr"}) {
    SCOPED_TRACE(format);
    start(config(
        std::string("    every: 1 day\n    format: ") + format +
        "\n    stamp: end\n    fields:\n      sst: {as: mean, max_error: 0.05 degC}\n      packed: {of: sst, as: "
        "mean, type: short, max_error: 0.05}\n      last: {of: sst, max_error: 1 %}\n"));
    define();
    begin_time(0);
    for (int hour = 1; hour <= 24; ++hour) ASSERT_EQ(send(hour), WEIR_OK) << weir_error(weir_);
    const char* report = nullptr;
    ASSERT_EQ(weir_report(weir_, &report), WEIR_OK) << weir_error(weir_);
    const double largest = Json::parse(report)["streams"]["each"][0]["largest_error"];
    ASSERT_EQ(end().code, WEIR_OK);
    EXPECT_GT(largest, 0.5);
    EXPECT_LE(largest, 1 + 1e-9);
    if (rank_ != 0) continue;
    const std::string name = "daily_1990-01.nc";
    const std::vector<double> means = read(name, "sst"), packed = read(name, "packed"), last = read(name, "last");
    std::vector<double> distinct;
    for (std::int64_t i = 0; i < size(); ++i) {
      const auto n = static_cast<std::size_t>(i);
      EXPECT_NEAR(means[n], mean(0, 24, i), 0.05 + 1e-5) << i;
      EXPECT_EQ(means[n], std::nearbyint(means[n] / 0.0625) * 0.0625) << "not a multiple of a power of two";
      EXPECT_NEAR(packed[n] * 0.1, mean(0, 24, i), 0.05 + 1e-5) << i;
      const auto sent = static_cast<double>(sample(24, i));
      EXPECT_NEAR(last[n], sent, 0.01 * std::fabs(sent)) << i;
    }
    EXPECT_EQ(text(name, "last", "quantization"), "quantization");
    EXPECT_EQ(text(name, "quantization", "algorithm"), "bitround");
  }
}

TEST_F(StreamsTest, ABoundThatCannotBeKeptIsAnError) {
  start(config("    every: 1 day\n    fields: {sst: {as: mean, max_error: 1e-9}, level: mean}\n"));
  define();
  begin_time(0);
  int code = WEIR_OK;
  for (int hour = 1; hour <= 24; ++hour) code = std::max(code, send(hour) != WEIR_OK ? 1 : 0);
  const auto ended = end();
  EXPECT_EQ(ended.code, WEIR_ERANGE);
  EXPECT_NE(ended.message.find("stream daily: sst has values that cannot be kept within max_error: 1e-09: the largest "
                               "error is "),
            std::string::npos)
      << ended.message;
}

// One rank alone has a value that floats cannot keep; all ranks get the error, after all outputs are put.
TEST_F(StreamsTest, AllRanksLearnOfABoundThatOneCannotKeep) {
  start(config("    every: 1 day\n    fields: {sst: {as: mean, max_error: 0.05}, warmest: {of: sst, as: maximum}}\n"));
  define();
  begin_time(0);
  for (int hour = 1; hour <= 24; ++hour) {
    std::vector<float> values(static_cast<std::size_t>(4 * (columns + 2)), 0.0F);
    if (rank_ == ranks_ - 1) values[static_cast<std::size_t>(columns + 3)] = 1e7F + static_cast<float>(hour % 2);
    const int code = weir_send(weir_, sst_, hour, WEIR_FLOAT, values.data());
    EXPECT_EQ(code, hour == 24 ? WEIR_ERANGE : WEIR_OK) << hour;
  }
  expect_same(end(), WEIR_ERANGE,
              {"sst has values that cannot be kept within max_error: 0.05: the largest error is 0.5"});
  if (rank_ == 0) {
    EXPECT_EQ(read("daily_1990-01.nc", "warmest")[static_cast<std::size_t>(size() - 2 * columns)], 1e7 + 1);
  }
}

std::string bytes_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// The run is stopped after each of many hours, and goes on with another layout in memory.
TEST_F(StreamsTest, GoesOnToTheBitAfterAStop) {
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
  const std::string january = bytes_of(path("daily_1990-01.nc")), february = bytes_of(path("daily_1990-02.nc"));
  for (const int stop : {1, 23, 24, 25, 47, 48, 49, 71, 72, 73}) {
    MPI_Barrier(team_);
    if (rank_ == 0)
      for (const auto& entry : faults::fs::directory_iterator(folder_)) faults::fs::remove(entry.path());
    MPI_Barrier(team_);
    run(0, stop, 1, false);
    run(stop, 96, 2, true);
    if (rank_ != 0) continue;
    EXPECT_TRUE(bytes_of(path("daily_1990-01.nc")) == january) << stop;
    EXPECT_TRUE(bytes_of(path("daily_1990-02.nc")) == february) << stop;
  }
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

// A run goes beyond its restart file, and the run that goes on ends earlier: files that began behind it are gone.
TEST_F(StreamsTest, LeavesNoFileThatBeganBehindTheRestart) {
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

// Fields that count steps apart: the slower one's interval began before the faster one's last file did.
TEST_F(StreamsTest, KeepsApartTheFilesOfFieldsThatCountSteps) {
  start("streams: {steps: {file: \"" + path("steps_{time:%H}.nc") +
        "\", every: 2 steps, split: 1 record, unfinished: write, fields: {sst: mean, level: mean}}}\n");
  define();
  begin_time(0);
  const std::vector<float> values(static_cast<std::size_t>(4 * (columns + 2)), 1);
  const double level = 7;
  for (int hour = 1; hour <= 3; ++hour) {
    ASSERT_EQ(weir_send(weir_, sst_, hour, WEIR_FLOAT, values.data()), WEIR_OK) << weir_error(weir_);
    if (hour != 3) continue;
    ASSERT_EQ(weir_send(weir_, level_, hour, WEIR_DOUBLE, &level), WEIR_OK) << weir_error(weir_);
  }
  const auto ended = end();
  ASSERT_EQ(ended.code, WEIR_OK) << ended.message;
  if (rank_ != 0) return;
  EXPECT_EQ(read("steps_00.nc", "time_bnds"), (std::vector<double>{0, 2}));
  EXPECT_EQ(read("steps_02.nc", "level"), (std::vector<double>{7}));
  EXPECT_EQ(read("steps_02.nc", "time_bnds"), (std::vector<double>{0, 3}));
}

// Of fields that are sent at different frequencies the intervals in steps have no bounds in common.
TEST_F(StreamsTest, RefusesARecordOfIntervalsThatBeginApart) {
  start("streams: {steps: {file: \"" + path("steps.nc") + "\", every: 2 steps, fields: {sst: mean, level: mean}}}\n");
  define();
  begin_time(0);
  const std::vector<float> values(static_cast<std::size_t>(4 * (columns + 2)), 1);
  const double level = 7;
  for (int hour = 1; hour <= 4; ++hour) {
    ASSERT_EQ(weir_send(weir_, sst_, hour, WEIR_FLOAT, values.data()), WEIR_OK) << weir_error(weir_);
    if (hour != 2) continue;
    ASSERT_EQ(weir_send(weir_, level_, hour, WEIR_DOUBLE, &level), WEIR_OK) << weir_error(weir_);
  }
  EXPECT_EQ(weir_send(weir_, level_, 4, WEIR_DOUBLE, &level), WEIR_EARGUMENT);
  EXPECT_STREQ(
      weir_error(weir_),
      "stream steps: 2 steps of level end at 1990-01-30 04:00:00 and begin at 1990-01-30 00:00:00, and those of "
      "another field begin at 1990-01-30 02:00:00: fields that are sent at different frequencies have no such "
      "interval in common; give every in time, or put {field} into file");
  EXPECT_EQ(end().code, WEIR_EARGUMENT) << "the first error";
  if (rank_ == 0) {
    EXPECT_EQ(read("steps.nc", "time_bnds"), (std::vector<double>{0, 2, 2, 4}));
  }
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

TEST_F(StreamsTest, SaysThatARunEndsWithAnotherNumberOfRecords) {
  for (const int expected : {3, 4}) {
    start(config(std::string(daily_means) + "    expected: " + std::to_string(expected) + " records\n"));
    define();
    begin_time(0);
    for (int hour = 1; hour <= 72; ++hour) ASSERT_EQ(send(hour), WEIR_OK) << weir_error(weir_);
    const char* text = nullptr;
    ASSERT_EQ(weir_report(weir_, &text), WEIR_OK) << weir_error(weir_);
    EXPECT_EQ(Json::parse(text)["streams"]["each"][0]["records_expected"], expected);
    const auto ended = end();
    EXPECT_EQ(ended.code, expected == 3 ? WEIR_OK : WEIR_ESTATE);
    if (expected == 4) {
      EXPECT_EQ(
          ended.message,
          "stream daily: it ends with 3 record(s), and expected says 4; find what ended the run, or give expected "
          "the number that a run makes");
    }
    if (rank_ == 0) {
      EXPECT_EQ(read("daily_1990-02.nc", "sst").size(), static_cast<std::size_t>(size()));
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  start(config(std::string(daily_means) + "    expected: 1 record\n"));
  const auto ended = end();
  EXPECT_EQ(ended.code, WEIR_ESTATE);
  EXPECT_EQ(ended.message.find("stream daily: it has not begun, and expected says 1 records"), 0U) << ended.message;
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

// A field that is behind the others would give a record of a time that is past.
TEST_F(StreamsTest, RefusesAStepThatEndsBeforeTheLastRecord) {
  start("streams: {steps: {file: \"" + path("steps.nc") + "\", every: 2 steps, fields: {sst: mean, level: mean}}}\n");
  define();
  begin_time(0);
  const std::vector<float> values(static_cast<std::size_t>(4 * (columns + 2)), 1);
  const double level = 7;
  for (const int hour : {2, 4}) ASSERT_EQ(weir_send(weir_, sst_, hour, WEIR_FLOAT, values.data()), WEIR_OK);
  ASSERT_EQ(weir_send(weir_, level_, 1, WEIR_DOUBLE, &level), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(weir_send(weir_, level_, 3, WEIR_DOUBLE, &level), WEIR_EARGUMENT);
  EXPECT_NE(std::string(weir_error(weir_)).find("a record that ends at 1990-01-30 04:00:00 has been written"),
            std::string::npos)
      << weir_error(weir_);
  EXPECT_EQ(weir_send(weir_, level_, 4, WEIR_DOUBLE, &level), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(end().code, WEIR_EARGUMENT) << "the first error";
  if (rank_ == 0) {
    EXPECT_EQ(read("steps.nc", "time_bnds"), (std::vector<double>{0, 4}));
  }
}

// cell_methods says an interval only where it is that of all samples.
TEST_F(StreamsTest, NamesTheStepThatAllSamplesHave) {
  start("streams: {daily: {file: \"" + path("day_{time:%Y%m%d}.nc") +
        "\", every: 1 day, split: 1 day, fields: {sst: mean, level: count}}}\n");
  define();
  ASSERT_EQ(weir_put_field_att_text(weir_, level_, "cell_methods", "area: mean"), WEIR_OK);
  begin_time(0);
  for (const int hour : {1, 5, 24, 36, 48}) ASSERT_EQ(send(hour), WEIR_OK) << weir_error(weir_);
  ASSERT_EQ(end().code, WEIR_OK);
  if (rank_ != 0) return;
  EXPECT_EQ(text("day_19900130.nc", "sst", "cell_methods"), "time: mean");
  EXPECT_EQ(text("day_19900131.nc", "sst", "cell_methods"), "time: mean (interval: 12 hours)");
  EXPECT_EQ(text("day_19900131.nc", "level", "cell_methods"), "area: mean");
}

// A model that sends only what is wanted: each sample counts as a step.
TEST_F(StreamsTest, WantsEachStepThatIsCounted) {
  start("streams: {every_third: {file: \"" + path("steps.nc") + "\", every: 3 steps, fields: [sst, level]}}\n");
  define();
  begin_time(0);
  for (int hour = 1; hour <= 9; ++hour) {
    int wanted = 0;
    ASSERT_EQ(weir_field_wanted(weir_, sst_, hour, &wanted), WEIR_OK);
    if (wanted) {
      ASSERT_EQ(send(hour), WEIR_OK) << weir_error(weir_);
    }
  }
  ASSERT_EQ(end().code, WEIR_OK);
  if (rank_ != 0) return;
  EXPECT_EQ(read("steps.nc", "time"), (std::vector<double>{3, 6, 9}));
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

// A run that writes the interval which its end cuts off, and goes on: the interval is whole then.
TEST_F(StreamsTest, CompletesAnIntervalThatWasWrittenUnfinished) {
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
TEST_F(StreamsTest, KnowsEachFieldsLastSampleAfterAStop) {
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

// Servers take part in what the model's ranks agree on: the definitions, coordinates of a box, a restart.
TEST_F(StreamsTest, GoesToServers) {
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
TEST_F(StreamsTest, ChangesNothingByAStartThatIsRefused) {
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
