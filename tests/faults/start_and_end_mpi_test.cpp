// ranks: 5
// cores: 1
// SPDX-License-Identifier: Apache-2.0
// A rank that is late to weir_init or to weir_finalize by more than `timeout`. The others have no file and no call
// before or behind to wait in, and come back all the same. One that never comes: tests/python/test_named_faults.py.
#include <chrono>

#include "faults/faults.hpp"

namespace faults {
namespace {

using Clock = std::chrono::steady_clock;

struct Way {
  const char* name;
  const char* config;
  int reserved;
};
void PrintTo(const Way& way, std::ostream* out) {
  *out << way.name;
}

class LateRank : public FaultTest, public testing::WithParamInterface<Way> {
 protected:
  void SetUp() override {
    FaultTest::SetUp();
    MPI_Comm_dup(MPI_COMM_WORLD, &waiting_room_);
    serves_ = rank_ >= ranks_ - GetParam().reserved;
    ranks_ -= GetParam().reserved;  // the model's
    late_ = rank_ == ranks_ - 1;
  }
  void TearDown() override {
    FaultTest::TearDown();
    MPI_Comm_free(&waiting_room_);
  }

  bool too_few() const { return ranks_ < 2; }
  Outcome try_to_start(int timeout_seconds) {
    return try_start(std::string(GetParam().config) + "timeout: " + std::to_string(timeout_seconds) + "\n");
  }
  // Not before `timeout`, and within the patience that one has with a busy machine.
  static void expect_told(const Outcome& outcome, Clock::time_point before, int timeout_seconds) {
    EXPECT_EQ(outcome.code, WEIR_ETIMEOUT) << outcome.message;
    EXPECT_NE(outcome.message.find("did not reach"), std::string::npos) << outcome.message;
    EXPECT_GT(std::chrono::duration<double>(Clock::now() - before).count(), 0.8 * timeout_seconds);
    EXPECT_LT(Clock::now() - before, longest_call);
  }

  static constexpr std::chrono::seconds longest_call{40};
  MPI_Comm waiting_room_ = MPI_COMM_NULL;
  bool serves_ = false, late_ = false;
};

class LateToInit : public LateRank {};
INSTANTIATE_TEST_SUITE_P(All, LateToInit,
                         testing::Values(Way{"Remap", "strategy: remap\n", 0},
                                         Way{"Servers", "strategy: servers\nservers: 1\n", 1}),
                         [](const auto& way) { return way.param.name; });

TEST_P(LateToInit, TheOthersAreTold) {
  if (too_few()) GTEST_SKIP() << "wants a rank more";
  const auto before = Clock::now();
  if (!late_) expect_told(try_to_start(1), before, 1);
  wait_for_all(waiting_room_);
  // Who comes after all may find that the others were here, but has nobody to go on with.
  if (late_) {
    EXPECT_EQ(try_to_start(1).code, WEIR_ETIMEOUT);
  }
  EXPECT_EQ(weir_, nullptr);
  wait_for_all(waiting_room_);
}

class LateToFinalize : public LateRank {};
INSTANTIATE_TEST_SUITE_P(All, LateToFinalize,
                         testing::Values(Way{"Remap", "strategy: remap\n", 0},
                                         Way{"Collective", "strategy: collective\n", 0},
                                         Way{"Servers", "strategy: servers\nservers: 1\n", 1},
                                         Way{"Slack", "strategy: dynamic\noverlap: slack\n", 0},
                                         Way{"Background", "strategy: dynamic\noverlap: background\n", 0},
                                         Way{"ControlRank", "strategy: dynamic\ncontrol: rank\n", 1},
                                         Way{"Parts", "strategy: file_per_rank\n", 0}),
                         [](const auto& way) { return way.param.name; });

// What was written is committed: nothing but the end is left.
TEST_P(LateToFinalize, TheOthersComeBack) {
  if (too_few()) GTEST_SKIP() << "wants a rank more";
  const Outcome started = try_to_start(3);
  if (serves_) {
    EXPECT_EQ(started.code, WEIR_ETIMEOUT) << started.message;
    return wait_for_all(waiting_room_);
  }
  ASSERT_EQ(started.code, WEIR_OK) << started.message;
  weir_file* file = begin();
  EXPECT_EQ(put_field(file, 0), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
  const auto before = Clock::now();
  if (!late_) expect_told(end(), before, 3);
  wait_for_all(waiting_room_);
  // The others have left their part of the meeting behind: who comes last may find it held.
  if (late_) {
    const Outcome outcome = end();
    EXPECT_TRUE(outcome.code == WEIR_ETIMEOUT || outcome.code == WEIR_OK) << outcome.message;
  }
  EXPECT_EQ(weir_, nullptr);
}

}  // namespace
}  // namespace faults
