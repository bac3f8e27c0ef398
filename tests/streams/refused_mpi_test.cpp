// SPDX-License-Identifier: Apache-2.0
// ranks: 1 4
// What is wrong with a configuration, with times and with samples: the same sentence on all ranks, and no file behind.
#include <gtest/gtest.h>

#include <vector>

#include "faults/faults.hpp"

namespace {

class RefusedTest : public faults::FaultTest {
 protected:
  using Outcome = faults::Outcome;

  // The streams of a configuration, each on a line from line 2 on.
  std::string streams(const std::vector<std::string>& lines) const {
    std::string text = "streams:\n";
    for (const std::string& line : lines) text += "  " + line + "\n";
    for (auto at = text.find("DIR/"); at != text.npos; at = text.find("DIR/", at))
      text.replace(at, 3, folder_.string());
    return text;
  }
  // sst(y, x) and ice(y, x), two rows a rank, and the fixed field y.
  void define(std::int64_t columns = 3) {
    const std::int64_t shape[] = {2 * ranks_, columns}, at[] = {2 * rank_, 0}, count[] = {2, columns};
    const std::int64_t none[] = {0}, whole[] = {rank_ == 0 ? 2 * ranks_ : 0};
    int layout = -1, row_layout = -1;
    ASSERT_EQ(weir_def_layout(weir_, 2, shape, 1, at, count, nullptr, &layout), WEIR_OK) << weir_error(weir_);
    ASSERT_EQ(weir_def_layout(weir_, 1, shape, 1, none, whole, nullptr, &row_layout), WEIR_OK) << weir_error(weir_);
    const char* const dims[] = {"y", "x"};
    ASSERT_EQ(weir_def_field(weir_, "sst", WEIR_FLOAT, 2, dims, layout, &sst_), WEIR_OK) << weir_error(weir_);
    ASSERT_EQ(weir_def_field(weir_, "ice_area", WEIR_FLOAT, 2, dims, layout, &ice_), WEIR_OK) << weir_error(weir_);
    ASSERT_EQ(weir_def_field(weir_, "y", WEIR_DOUBLE, 1, dims, row_layout, &y_), WEIR_OK) << weir_error(weir_);
    const std::vector<double> values(static_cast<std::size_t>(2 * ranks_), 0.5);
    ASSERT_EQ(weir_set_field(weir_, y_, WEIR_DOUBLE, values.data()), WEIR_OK) << weir_error(weir_);
  }
  Outcome begin_time(const char* units = "hours since 1990-01-01", const char* calendar = "noleap", double start = 0) {
    const int code = weir_start_streams(weir_, units, calendar, start);
    return {code, code == WEIR_OK ? "" : weir_error(weir_)};
  }
  Outcome send(int field, double hour) {
    const std::vector<float> values(6, 1);
    const int code = weir_send(weir_, field, hour, WEIR_FLOAT, values.data());
    return {code, code == WEIR_OK ? "" : weir_error(weir_)};
  }
  void expect_sentence(const Outcome& outcome, int code, const std::string& sentence) {
    expect_same(outcome, code, {});
    EXPECT_EQ(outcome.message, sentence);
  }

  int sst_ = -1, ice_ = -1, y_ = -1;
};

struct Refusal {
  std::vector<std::string> streams;
  const char* units;
  const char* calendar;
  int code;
  std::string sentence;
};

TEST_F(RefusedTest, ByInit) {
  const std::vector<Refusal> table{
      {{"a: {file: x.nc, every: 1 day, fields: [sst]}", "b: {file: x.nc, every: 6 hours, fields: [sst]}"},
       "",
       "",
       WEIR_ECONFIG,
       "stream b: file: \"x.nc\" is the file of stream a too (line 2); give each stream files of its own "
       "(configuration "
       "text, line 3)"},
      {{"a: {file: \"x_{time}.nc\", every: 1 day, split: 6 hours, fields: [sst]}"},
       "",
       "",
       WEIR_ECONFIG,
       "stream a: split: 6 hours is shorter than every: 1 day, so that files would have no record; give split an "
       "interval that is at least as long, or a number of records (configuration text, line 2)"},
      {{"a: {file: x.nc, every: 1 day, until: 1990-02-31, fields: [sst]}"},
       "",
       "",
       WEIR_ECONFIG,
       "stream a: until: 1990-02-31 does not exist in the calendar 360_day, whose 1990-02 has 30 days "
       "(configuration text, line 2)"},
  };
  for (const Refusal& refusal : table)
    expect_sentence(try_start(streams(refusal.streams)), refusal.code, refusal.sentence);
  expect_files({});
}

TEST_F(RefusedTest, ByStart) {
  const std::string stream = "a: {file: DIR/x.nc, every: 1 day, ";
  const char* const units = "hours since 1990-01-01";
  const std::vector<Refusal> table{
      {{stream + "as: mean, fields: [ssst]}"},
       units,
       "noleap",
       WEIR_ECONFIG,
       "stream a: fields: ssst: the model has no field \"ssst\": did you mean \"sst\"? (configuration text, line 2)"},
      {{stream + "fields: {\"*\": mean, \"ice_*\": maximum}}"},
       units,
       "noleap",
       WEIR_ECONFIG,
       "stream a: fields: \"ice_area\" comes from \"*\" (line 2) and from \"ice_*\" (line 2); leave it out of one of "
       "them "
       "(configuration text, line 2)"},
      {{stream + "from: 1990-02-30, fields: [sst]}"},
       units,
       "noleap",
       WEIR_ECONFIG,
       "stream a: from: 1990-02-30 does not exist in the calendar noleap, whose 1990-02 has 28 days "
       "(configuration text, line 2)"},
      {{stream + "fields: [sst]}"},
       "hours since 1990-02-30",
       "standard",
       WEIR_EARGUMENT,
       "time units \"hours since 1990-02-30\": 1990-02-30 does not exist in the calendar standard, whose 1990-02 has "
       "28 days"},
      {{stream + "fields: [sst]}"},
       "months since 1990-01-01",
       "noleap",
       WEIR_EARGUMENT,
       "time units \"months since 1990-01-01\": months have no fixed length; count in days or hours"},
      {{stream + "fields: [sst]}"},
       units,
       "nolaep",
       WEIR_EARGUMENT,
       "\"nolaep\" is not a calendar of CF's: did you mean \"noleap\"?"},
      {{"a: {file: \"DIR/x_{time:%Y}.nc\", every: 1 day, split: 1 month, fields: [sst]}"},
       units,
       "noleap",
       WEIR_ECONFIG,
       "stream a: split: the files that begin at 1990-01-01 00:00:00 and at 1990-02-01 00:00:00 are both called \"" +
           path("x_1990.nc") + "\"; put a finer time into file, as in {time:%Y-%m-%dT%H} (configuration text, line 2)"},
  };
  for (const Refusal& refusal : table) {
    start(streams(refusal.streams));
    define();
    expect_sentence(begin_time(refusal.units, refusal.calendar), refusal.code, refusal.sentence);
    end();
  }
  expect_files({});
}

TEST_F(RefusedTest, AccumulatorsThatNoHostHolds) {
  start(streams({"a: {file: DIR/x.nc, every: 1 day, as: mean, fields: [sst]}"}));
  define(std::int64_t{1} << 42);
  const Outcome outcome = begin_time();
  expect_same(outcome, WEIR_EMEMORY,
              {"the accumulators of the streams take up to 140737488355328 bytes", "use more ranks"});
  end();
  expect_files({});
}

TEST_F(RefusedTest, AnIntervalThatNoStepMeets) {
  start(streams({"a: {file: DIR/x.nc, every: 1 day, as: mean, fields: [sst]}"}));
  define();
  ASSERT_EQ(begin_time().code, WEIR_OK);
  ASSERT_EQ(send(sst_, 23).code, WEIR_OK);
  expect_sentence(
      send(sst_, 25), WEIR_EARGUMENT,
      "stream a: no sample of sst came at 1990-01-02 00:00:00, where an interval of 1 day ends: the samples "
      "around it came at 1990-01-01 23:00:00 and 1990-01-02 01:00:00; give an interval that the model's "
      "steps meet");
  expect_same(end(), WEIR_EARGUMENT, {"stream a: no sample of sst"});
  expect_files({});
}

TEST_F(RefusedTest, TimesThatDoNotAscend) {
  const std::string config = "restart: \"" + path("r_{time:%d}.nc") + "\"\n" +
                             streams({"a: {file: DIR/x.nc, every: 1 day, as: mean, fields: [sst, ice_area]}"});
  start(config);
  define();
  expect_same(send(sst_, 1), WEIR_ESTATE, {"weir_send comes after weir_start_streams"});
  end();
  start(config);
  define();
  ASSERT_EQ(begin_time().code, WEIR_OK);
  ASSERT_EQ(send(sst_, 24).code, WEIR_OK);
  ASSERT_EQ(end().code, WEIR_OK);
  const std::string before = contents(path("x.nc"));
  start(config);
  define();
  ASSERT_EQ(begin_time("hours since 1990-01-01", "noleap", 24).code, WEIR_OK);
  expect_sentence(send(y_, 25), WEIR_ESTATE, "the field y is fixed: weir_set_field has set it once for all");
  expect_sentence(
      send(sst_, 23), WEIR_EARGUMENT,
      "the field sst is sent for 1990-01-01 23:00:00 after it was sent for 1990-01-02 00:00:00: the times of "
      "a field ascend");
  end();
  MPI_Barrier(team_);
  EXPECT_EQ(contents(path("x.nc")), before);
}

TEST_F(RefusedTest, ASampleThatComesTooLate) {
  start(streams(
      {"a: {file: \"DIR/x_{time:%Y%m%d}.nc\", every: 1 day, split: 1 day, as: mean, fields: [sst, ice_area]}"}));
  define();
  ASSERT_EQ(begin_time().code, WEIR_OK);
  ASSERT_EQ(send(sst_, 24).code, WEIR_OK);
  ASSERT_EQ(send(sst_, 48).code, WEIR_OK);
  const std::string before = contents(path("x_19900101.nc"));
  expect_sentence(
      send(ice_, 24), WEIR_EARGUMENT,
      "stream a: the sample of ice_area at 1990-01-02 00:00:00 comes too late: the record that ends at "
      "1990-01-02 00:00:00 is in a file that is finished; send all fields of a stream before one of them is "
      "sent for the next file");
  end();
  MPI_Barrier(team_);
  EXPECT_EQ(contents(path("x_19900101.nc")), before);
}

}  // namespace
