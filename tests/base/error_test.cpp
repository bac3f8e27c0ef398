// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>

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

TEST(Require, PutsTheArgumentsIntoTheSentence) {
  const std::string name = "level";
  EXPECT_NO_THROW(require(true, WEIR_EARGUMENT, "\"{}\" is unused", name));
  const unsigned line = std::source_location::current().line() + 2;
  try {
    require(false, WEIR_EARGUMENT, "the count of \"{}\" is {}; give {{1}} or more", name, std::int64_t{-3});
    FAIL() << "a precondition that does not hold did not throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), WEIR_EARGUMENT);
    EXPECT_STREQ(error.what(), "the count of \"level\" is -3; give {1} or more");
    EXPECT_NE(std::string(error.where().file_name()).find("error_test.cpp"), std::string::npos);
    EXPECT_EQ(error.where().line(), line);
  }
}

TEST(Error, TakesASentenceWithItsArguments) {
  const Error error(WEIR_EIO, "record {} of {} is lost", 7, std::string_view("sea ice"));
  EXPECT_STREQ(error.what(), "record 7 of sea ice is lost");
  EXPECT_NE(std::string(error.where().file_name()).find("error_test.cpp"), std::string::npos);
  EXPECT_STREQ(Error(WEIR_EIO, "a brace {").what(), "a brace {");
}

}  // namespace
}  // namespace weir
