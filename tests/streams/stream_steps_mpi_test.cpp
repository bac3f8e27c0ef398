// SPDX-License-Identifier: Apache-2.0
// ranks: 1 4 7
// Intervals that count samples in place of time, and the steps between samples.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sent_fields.hpp"

namespace weir::streams_tests {

namespace {

class StreamStepsTest : public SentFieldsTest {};

// Fields that count steps apart: the slower one's interval began before the faster one's last file did.
TEST_F(StreamStepsTest, KeepsApartTheFilesOfFieldsThatCountSteps) {
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
TEST_F(StreamStepsTest, RefusesARecordOfIntervalsThatBeginApart) {
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

// A field that is behind the others would give a record of a time that is past.
TEST_F(StreamStepsTest, RefusesAStepThatEndsBeforeTheLastRecord) {
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
TEST_F(StreamStepsTest, NamesTheStepThatAllSamplesHave) {
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
TEST_F(StreamStepsTest, WantsEachStepThatIsCounted) {
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

}  // namespace

}  // namespace weir::streams_tests
