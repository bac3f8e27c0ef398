// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"

#include <gtest/gtest.h>

#include <string>

namespace weir {
namespace {

TEST(Status, KeepsTheFirstFailure) {
  Status status;
  status.merge({WEIR_EIO, "disk full"});
  status.merge({WEIR_ETIMEOUT, "rank 3 did not come"});
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.code, WEIR_EIO);
  EXPECT_EQ(status.message, "disk full");
}

TEST(Status, StaysGoodWhenGoodIsMergedIn) {
  Status status;
  status.merge({});
  EXPECT_TRUE(status.ok());
  EXPECT_NO_THROW(status.raise());
}

TEST(Status, RaisesItsCodeMessageAndPlace) {
  const Status status{WEIR_ECOVER, "nobody holds element 5"};
  try {
    status.raise();
    FAIL() << "a failed status did not throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), WEIR_ECOVER);
    EXPECT_STREQ(error.what(), "nobody holds element 5");
    EXPECT_NE(std::string(error.where().file_name()).find("error_test.cpp"), std::string::npos);
  }
}

TEST(Require, ThrowsOnlyWhereTheConditionFails) {
  EXPECT_NO_THROW(require(true, WEIR_EARGUMENT, "unused"));
  EXPECT_THROW(require(false, WEIR_EARGUMENT, "a count is negative"), Error);
}

}  // namespace
}  // namespace weir
