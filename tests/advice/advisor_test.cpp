// SPDX-License-Identifier: Apache-2.0
// The choice between ways to write, on models whose times are given.
#include "advice/advisor.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace weir {
namespace {

Way way(const std::string& strategy) {
  return Way{{{"strategy", strategy}}};
}

// A model that computes for so long, and an output that takes so long: beside the computing, or not.
struct Output {
  double seconds;
  bool beside;
};

// Runs records until the advisor asks to judge, as the pipeline does; returns the time.
double run_trial(Advisor& advisor, double now, double compute, Output output) {
  double busy_until = now;  // what is written beside
  for (;;) {
    now += compute;
    if (output.beside)
      busy_until = std::max(busy_until, now) + output.seconds;
    else
      now += output.seconds;
    if (!advisor.record_ended(now)) continue;
    now = std::max(now, busy_until);
    static_cast<void>(advisor.decide(advisor.judge(now, output.beside)));
    return now;
  }
}

TEST(Advisor, KeepsTheCheapestWay) {
  Advisor advisor({way("dynamic"), way("remap"), way("collective")}, Advisor::Origin::rules);
  EXPECT_TRUE(advisor.trying());
  double now = run_trial(advisor, 0, 1, {0.5, true});
  EXPECT_EQ(advisor.way().words(), "strategy: remap");
  now = run_trial(advisor, now, 1, {0.25, false});
  EXPECT_EQ(advisor.way().words(), "strategy: collective");
  run_trial(advisor, now, 1, {0.75, false});
  EXPECT_FALSE(advisor.trying());
  EXPECT_EQ(advisor.way().words(), "strategy: dynamic");
  EXPECT_DOUBLE_EQ(advisor.cost(), 1.0);
  EXPECT_NE(advisor.line().find("kept strategy: dynamic: 1 s a record, 1.25 s by strategy: remap"), std::string::npos)
      << advisor.line();
}

// What is put off is counted: a thread that cannot keep up is no better than writing at once.
TEST(Advisor, CountsWhatIsPutOff) {
  Advisor advisor({way("dynamic"), way("remap")}, Advisor::Origin::rules);
  const double now = run_trial(advisor, 0, 0.25, {4, true});
  run_trial(advisor, now, 0.25, {2, false});
  EXPECT_EQ(advisor.way().words(), "strategy: remap");
  EXPECT_DOUBLE_EQ(advisor.cost(), 2.25);
}

// Two records that were kept in memory and are written after both: each costs its own writing.
TEST(Advisor, CountsWhatIsKeptInMemory) {
  Advisor advisor({way("remap"), way("dynamic")}, Advisor::Origin::rules);
  EXPECT_FALSE(advisor.record_ended(1));
  EXPECT_TRUE(advisor.record_ended(2));
  EXPECT_DOUBLE_EQ(advisor.judge(3, false), 1.5);
  EXPECT_DOUBLE_EQ(advisor.judge(3, true), 1.0);
}

TEST(Advisor, TriesNothingWhereARunHasMeasured) {
  Advisor advisor({way("remap"), way("dynamic")}, Advisor::Origin::measured);
  for (int record = 0; record < 10; ++record) EXPECT_FALSE(advisor.record_ended(record));
  EXPECT_EQ(advisor.way().words(), "strategy: remap");
  EXPECT_FALSE(advisor.found());
}

TEST(Advisor, TriesWhatWasSimulated) {
  Advisor advisor({way("serial"), way("remap")}, Advisor::Origin::simulated);
  EXPECT_EQ(advisor.line(), "began with strategy: serial, the tuned table's, which was simulated");
  const double now = run_trial(advisor, 0, 1, {0.5, false});
  run_trial(advisor, now, 1, {0.25, false});
  EXPECT_EQ(advisor.way().words(), "strategy: remap");
}

TEST(Advisor, TriesAgainWhatIsSlowFromTheStart) {
  Advisor advisor({way("remap"), way("dynamic")}, Advisor::Origin::measured);
  advisor.expect(1);
  for (int record = 0; record < 6; ++record) EXPECT_FALSE(advisor.record_ended(1.5 * record));
  EXPECT_TRUE(advisor.worse());
}

TEST(Advisor, TriesAgainWhenRecordsTakeLonger) {
  Advisor advisor({way("remap"), way("dynamic")}, Advisor::Origin::measured);
  double now = 0;
  const auto records = [&](int count, double seconds) {
    for (int i = 0; i < count; ++i) EXPECT_FALSE(advisor.record_ended(now += seconds));
  };
  records(4, 1);
  EXPECT_FALSE(advisor.worse()) << "too few records to tell";
  records(4, 1);
  EXPECT_FALSE(advisor.worse()) << "the first measure is what later ones are compared with";
  records(6, 1.2);
  EXPECT_FALSE(advisor.worse()) << "a fifth more is no reason";
  records(6, 1.5);
  ASSERT_TRUE(advisor.worse());
  advisor.try_again();
  now = run_trial(advisor, now, 1, {0.5, false});
  run_trial(advisor, now, 1, {0.25, false});
  EXPECT_EQ(advisor.way().words(), "strategy: dynamic");
  EXPECT_TRUE(advisor.found());
}

TEST(Advisor, BeginsATrialAnewWithTheNextFile) {
  Advisor advisor({way("remap"), way("dynamic")}, Advisor::Origin::rules);
  EXPECT_FALSE(advisor.record_ended(1));
  advisor.break_off();
  EXPECT_FALSE(advisor.record_ended(100));
  EXPECT_TRUE(advisor.record_ended(101));
  EXPECT_DOUBLE_EQ(advisor.judge(101, false), 1.0);
}

}  // namespace
}  // namespace weir
