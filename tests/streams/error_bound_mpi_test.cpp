// SPDX-License-Identifier: Apache-2.0
// ranks: 1 4 7
// Streams that keep max_error, or say that they cannot.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sent_fields.hpp"

namespace weir::streams_tests {

namespace {

using Json = nlohmann::json;

class StreamErrorBoundTest : public SentFieldsTest {};

// Values of up to 100 within 0.05, in floats and packed; instants within 1 %.
TEST_F(StreamErrorBoundTest, KeepsABoundForTheError) {
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

TEST_F(StreamErrorBoundTest, ABoundThatCannotBeKeptIsAnError) {
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
TEST_F(StreamErrorBoundTest, AllRanksLearnOfABoundThatOneCannotKeep) {
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

}  // namespace

}  // namespace weir::streams_tests
