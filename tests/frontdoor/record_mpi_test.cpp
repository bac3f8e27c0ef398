// SPDX-License-Identifier: Apache-2.0
// ranks: 1 4 7
// Where tiles are written beside the model, a cycle ends with the record: nobody has to call weir_sync for that.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "faults/faults.hpp"

namespace {

constexpr std::int64_t row = 1024;

class RecordTest : public faults::FaultTest {
 protected:
  // A file of two record variables, of which each rank has a row.
  void open(const char* overlap) {
    start((std::string("strategy: dynamic\nbundle_size: 4KiB\noverlap: ") + overlap + "\n").c_str());
    int dims[3];
    ASSERT_EQ(weir_create(weir_, path("records.nc").c_str(), WEIR_CLOBBER, &file_), WEIR_OK);
    ASSERT_EQ(weir_def_dim(file_, "time", WEIR_UNLIMITED, &dims[0]), WEIR_OK);
    ASSERT_EQ(weir_def_dim(file_, "y", ranks_, &dims[1]), WEIR_OK);
    ASSERT_EQ(weir_def_dim(file_, "x", row, &dims[2]), WEIR_OK);
    ASSERT_EQ(weir_def_var(file_, "salt", WEIR_FLOAT, 3, dims, &salt_), WEIR_OK);
    ASSERT_EQ(weir_def_var(file_, "temp", WEIR_FLOAT, 3, dims, &temp_), WEIR_OK);
    ASSERT_EQ(weir_enddef(file_), WEIR_OK);
  }

  void put(int var, std::int64_t record) {
    const std::vector<float> values(row, static_cast<float>(rank_));
    const std::int64_t start[] = {record, rank_, 0}, count[] = {1, 1, row};
    ASSERT_EQ(weir_put_vara(file_, var, start, count, WEIR_FLOAT, values.data()), WEIR_OK);
  }

  int cycles() {
    const char* json = nullptr;
    EXPECT_EQ(weir_report(weir_, &json), WEIR_OK);
    return nlohmann::json::parse(json)["cycles"];
  }

  weir_file* file_ = nullptr;
  int salt_ = -1, temp_ = -1;
};

TEST_F(RecordTest, IsWrittenWhenItsLastVariableIsPut) {
  open("background");
  put(temp_, 0);
  EXPECT_EQ(cycles(), 0);
  put(salt_, 0);
  EXPECT_EQ(cycles(), 1);
  put(salt_, 1);
  put(temp_, 2);
  EXPECT_EQ(cycles(), 1);
  put(temp_, 1);
  EXPECT_EQ(cycles(), 2);
}

TEST_F(RecordTest, IsKeptForMoreWhereTheModelWouldWaitForTheWriting) {
  open("none");
  put(salt_, 0);
  put(temp_, 0);
  EXPECT_EQ(cycles(), 0);
}

}  // namespace
