// SPDX-License-Identifier: Apache-2.0
// When ranks that write together join their runs, by whom and in which windows, as MPI-IO's hints have it.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "plan/file_runs.hpp"

namespace weir {
namespace {

TEST(Joining, IsForShortRunsUnlessAHintSaysOtherwise) {
  for (const bool any_short : {false, true}) {
    EXPECT_EQ(are_joined(join_hint({}), any_short), any_short);
    EXPECT_EQ(are_joined(join_hint({{"romio_cb_write", "automatic"}}), any_short), any_short);
    EXPECT_TRUE(are_joined(join_hint({{"romio_cb_write", "enable"}}), any_short));
    EXPECT_FALSE(are_joined(join_hint({{"romio_cb_write", "disable"}}), any_short));
  }
}

TEST(Joining, TakesTheAverageRun) {
  EXPECT_FALSE(are_short_runs(0, 0)) << "who has nothing wants nothing joined";
  EXPECT_TRUE(are_short_runs(1 << 10, 1));
  EXPECT_FALSE(are_short_runs(1 << 20, 1));
  EXPECT_TRUE(are_short_runs((2 << 20) - 1, 2));
}

TEST(Joining, IsDoneByOneRankOfAHostOrAsManyAsAreAskedFor) {
  EXPECT_EQ(joining_ranks({}, 4, 16), 4);
  EXPECT_EQ(joining_ranks({{"cb_nodes", "7"}}, 4, 16), 7);
  EXPECT_EQ(joining_ranks({{"cb_nodes", "99999999999"}}, 4, 16), 16);
  EXPECT_EQ(joining_ranks({{"cb_nodes", "0"}}, 4, 16), 4);
  EXPECT_EQ(joining_ranks({{"cb_nodes", "many"}}, 4, 16), 4);
}

RC_GTEST_PROP(Joining, WindowsAreWholeStripes, ()) {
  const auto stripe = *rc::gen::inRange<std::int64_t>(0, 40 << 20),
             asked = *rc::gen::inRange<std::int64_t>(0, 64 << 20);
  const Windows windows = joining_windows({{"cb_buffer_size", std::to_string(asked)}}, stripe);
  const std::int64_t wanted = asked > 0 ? asked : joining_windows({}, 1 << 20).bytes;
  RC_ASSERT(windows.alignment >= stripe && windows.alignment >= 64 << 10);
  RC_ASSERT(windows.bytes % windows.alignment == 0);
  RC_ASSERT(windows.bytes >= wanted && windows.bytes < wanted + windows.alignment);
}

}  // namespace
}  // namespace weir
