// SPDX-License-Identifier: Apache-2.0
#include "core/original.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace weir::bridge {
namespace {

TEST(Original, AcceptsItsSeriesAndLaterOnes) {
  EXPECT_TRUE(is_built_for("bridge", "1.12.3", "1.12.3"));
  EXPECT_TRUE(is_built_for("bridge", "1.12.1", "1.12.3"));
  EXPECT_TRUE(is_built_for("bridge", "1.15.0", "1.12.3"));
  for (const char* other : {"1.9.0", "1.11.2", "2.0.0", "0.14.1"}) {
    testing::internal::CaptureStderr();
    EXPECT_FALSE(is_built_for("bridge", other, "1.12.3"));
    const std::string line = testing::internal::GetCapturedStderr();
    EXPECT_NE(line.find(std::string("bridge: the underlying library is version ") + other +
                        ", but this bridge was built for 1.12.3"),
              line.npos);
    EXPECT_EQ(line.find('\n'), line.size() - 1) << "one line";
  }
}

TEST(Original, KnowsLaterSeries) {
  EXPECT_TRUE(is_newer("1.15.0", "1.12.3"));
  EXPECT_TRUE(is_newer("4.10.1", "4.9.0"));
  EXPECT_TRUE(is_newer("4.10.2-development", "4.9.0"));
  EXPECT_FALSE(is_newer("1.12.4", "1.12.3"));
  EXPECT_FALSE(is_newer("4.8.1", "4.9.0"));
  EXPECT_FALSE(is_newer("", "4.9.0"));
}

TEST(Original, RefusesWhatHasNoVersion) {
  testing::internal::CaptureStderr();
  EXPECT_FALSE(is_built_for("bridge", "", "1.12.3"));
  EXPECT_FALSE(is_built_for("bridge", "1.1", "1.12.3"));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("version unknown"), std::string::npos);
}

TEST(Original, KnowsWeirsOwnCalls) {
  EXPECT_TRUE(called_by_weir(reinterpret_cast<const void*>(&called_by_weir)));
  EXPECT_FALSE(called_by_weir(::dlsym(RTLD_DEFAULT, "MPI_Init")));
  EXPECT_FALSE(called_by_weir(nullptr));
}

}  // namespace
}  // namespace weir::bridge
