// SPDX-License-Identifier: Apache-2.0
// ranks: 1 4 7
// What the report and the trace tell of streams.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sent_fields.hpp"

namespace weir::streams_tests {

namespace {

using Json = nlohmann::json;

class StreamReportTest : public SentFieldsTest {};

// A span of each sample that is folded: its bytes on this rank. Instants are not folded.
TEST_F(StreamReportTest, TheTraceHasASpanOfEachFold) {
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
TEST_F(StreamReportTest, SamplesThatNoStreamUsesAreNotTaken) {
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

TEST_F(StreamReportTest, TheReportTellsWhatStreamsTookAndPut) {
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

TEST_F(StreamReportTest, SaysThatARunEndsWithAnotherNumberOfRecords) {
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

}  // namespace

}  // namespace weir::streams_tests
