// SPDX-License-Identifier: Apache-2.0
// ranks: 4
// cores: 1
// timeout: 400
// A rank that does not come. The others wait as long as `timeout` says, are told, and can end; nothing hangs.
#include <chrono>
#include <limits>

#include "faults/faults.hpp"

namespace faults {
namespace {

class TimeoutTest : public FaultTest {
 protected:
  void SetUp() override {
    FaultTest::SetUp();
    timeout_seconds_ = timeout_in_reach(1.5);
    MPI_Comm_dup(MPI_COMM_WORLD, &waiting_room_);
  }
  void TearDown() override {
    const auto before = Clock::now();
    EXPECT_EQ(weir_finalize(&weir_), WEIR_ETIMEOUT);
    EXPECT_EQ(weir_, nullptr);
    EXPECT_LT(Clock::now() - before, longest_call);
    FaultTest::TearDown();
    MPI_Comm_free(&waiting_room_);
  }

  void start_with(const std::string& config) { start(config + timeout_of(timeout_seconds_)); }
  bool absent() const { return rank_ == ranks_ - 1; }

  // The call of all ranks but the last, who comes only when the others have given up.
  template <class Call>
  void expect_timeout(Call call, const std::vector<std::string>& words) {
    const double began = absent() ? std::numeric_limits<double>::max() : now();
    double ended = began;
    if (!absent()) {
      const Outcome outcome = first_error(call);
      ended = now();
      EXPECT_EQ(outcome.code, WEIR_ETIMEOUT) << outcome.message;
      for (const std::string& word : words)
        EXPECT_NE(outcome.message.find(word), std::string::npos) << "\"" << word << "\" is not in: " << outcome.message;
      EXPECT_LT(ended - began, timeout_seconds_ + std::chrono::duration<double>(longest_call).count());
    }
    wait_for_all(waiting_room_);
    // A rank that came after the others is told when their time is up: it counts from the first one's coming.
    double first = began;
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_DOUBLE, MPI_MIN, waiting_room_);
    if (!absent()) {
      EXPECT_GT(ended - first, 0.8 * timeout_seconds_);
    }
    // Who comes late may find that the others were here, and waits in vain at the next call.
    if (absent()) static_cast<void>(call());
    weir_file* file = nullptr;
    static_cast<void>(weir_create(weir_, path("first.nc").c_str(), 0, &file));
    expect_over_at_once(timeout_seconds_);
  }

 private:
  // One clock for all ranks: they are on one machine.
  static double now() { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); }

  MPI_Comm waiting_room_ = MPI_COMM_NULL;
  double timeout_seconds_ = 0;
};

TEST_F(TimeoutTest, AtASync) {
  start_with("strategy: remap\n");
  weir_file* file = begin();
  EXPECT_EQ(put_field(file, 0), WEIR_OK);
  expect_timeout([&] { return weir_sync(file); },
                 {"did not reach", "rank(s) " + std::to_string(ranks_ - 1) + " did not answer"});
  expect_files({".file.nc.weir"});
}

TEST_F(TimeoutTest, AtACreate) {
  start_with("strategy: remap\n");
  weir_file* file = nullptr;
  expect_timeout([&] { return weir_create(weir_, path().c_str(), 0, &file); }, {"weir_create", path()});
  expect_files({});
}

TEST_F(TimeoutTest, AtANewPlan) {
  start_with("strategy: rows\ndebug.forward: messages\n");
  weir_file* file = begin();
  expect_timeout([&] { return put_field(file, 0); }, {"did not reach"});
}

TEST_F(TimeoutTest, WhereTheMemoryIsUsedUp) {
  start_with("strategy: remap\nbuffer_limit: 64KiB\n");
  weir_file* file = begin();
  EXPECT_EQ(put_field(file, 0), WEIR_OK);
  EXPECT_EQ(weir_sync(file), WEIR_OK);
  expect_timeout(
      [&] {
        int code = WEIR_OK;
        for (std::int64_t r = 1; r < 100000 && code == WEIR_OK; ++r) code = put_field(file, r);
        return code;
      },
      {"did not reach"});
  expect_files({"file.nc"});
  expect_good_file(1);
}

TEST_F(TimeoutTest, AtAPutOfABox) {
  start_with("strategy: collective\n");
  weir_file* file = begin();
  const std::int64_t at[] = {0, 2 * rank_, 0}, count[] = {1, 2, 6};
  expect_timeout([&] { return weir_put_vara(file, temp_, at, count, WEIR_FLOAT, field(0).data()); }, {"weir_put_vara"});
}

}  // namespace
}  // namespace faults
