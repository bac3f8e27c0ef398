// SPDX-License-Identifier: Apache-2.0
// ranks: 5
// cores: 1
// timeout: 900
// alone: MPI with another level of threads
// Trouble under the dynamic strategy: ranks that do not come, stop or part from the others, a control rank that is late
// or silent, refused puts. Both controls, all overlaps, one host and several. The last rank is Weir's where the
// scheduler has a rank of its own, else idle. A rank that stops (SIGSTOP) is, to the others, a rank that has died.
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "faults/faults.hpp"
#include "mpi_main.hpp"

// So that ranks of several hosts listen while they are in no call.
int thread_level() {
  return MPI_THREAD_MULTIPLE;
}

namespace faults {
namespace {

// Where no time is to be up, one that no run comes near.
const std::string no_timeout = "timeout: 120\n";
constexpr int either = 1;  // no code of Weir's: the run ends well or not

struct Way {
  const char* name;
  bool control_rank;
  const char* config;
};
void PrintTo(const Way& way, std::ostream* out) {
  *out << way.name;
}

const Way ways[] = {
    {"HostedSlack", false, "overlap: slack\n"},
    {"HostsThread", false, "overlap: background\ndebug.ranks_per_host: 2\nprogress: thread\n"},
    {"RankBackground", true, "overlap: background\ndebug.ranks_per_host: 2\ndebug.forward: messages\n"},
    // As in the paper. Units have a slot a host, so that ranks are told relays.
    {"Paper", true,
     "overlap: slack\ndebug.choose: arrival\ndebug.hops: two\ndebug.ranks_per_host: 2\nbundle_size: 0\n"},
};
const Way remote_ways[] = {ways[2], ways[3]};

class DynamicFault : public FaultTest, public testing::WithParamInterface<Way> {
 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &world_ranks_);
    FaultTest::SetUp();
    timeout_seconds_ = timeout_in_reach(2.0);
    timeout_ = timeout_of(timeout_seconds_);
    ranks_ = world_ranks_ - 1;
    MPI_Comm_dup(MPI_COMM_WORLD, &waiting_room_);
    MPI_Comm_split(MPI_COMM_WORLD, reserved() ? 1 : 0, rank_, &team_);
    pids_.resize(static_cast<std::size_t>(world_ranks_));
    const int own = getpid();
    MPI_Allgather(&own, 1, MPI_INT, pids_.data(), 1, MPI_INT, MPI_COMM_WORLD);
  }
  // The last rank comes here when it has served.
  void TearDown() override {
    if (weir_) static_cast<void>(end());
    wait_for_all(waiting_room_);
    MPI_Comm_free(&team_);
    team_ = MPI_COMM_WORLD;
    FaultTest::TearDown();
    MPI_Comm_free(&waiting_room_);
  }

  bool reserved() const { return world_rank_ == world_ranks_ - 1; }
  bool odd() const { return rank_ == ranks_ - 1; }

  // False on the rank that has no part in the model.
  bool begin_model(const std::string& more = "", int code_of_control_rank = WEIR_OK) {
    const std::string config = "strategy: dynamic\ndurability: cache\n" + std::string(GetParam().config) + more +
                               "control: " + (GetParam().control_rank ? "rank\n" : "hosted\n");
    world_ = GetParam().control_rank ? MPI_COMM_WORLD : team_;
    if (reserved() && !GetParam().control_rank) return false;
    const Outcome outcome = try_start(config);
    if (!reserved() || code_of_control_rank != either) {
      EXPECT_EQ(outcome.code, reserved() ? code_of_control_rank : WEIR_OK) << outcome.message;
    }
    return !reserved() && outcome.code == WEIR_OK;
  }

  int put_mask(weir_file* file) {
    const std::vector<short> mask(12, 1);
    return weir_put(file, mask_, 0, rows_, WEIR_SHORT, mask.data());
  }
  // All plans are made, and something is committed.
  weir_file* begin_committed() {
    weir_file* file = begin();
    EXPECT_EQ(put_field(file, 0), WEIR_OK) << weir_error(weir_);
    EXPECT_EQ(put_mask(file), WEIR_OK) << weir_error(weir_);
    EXPECT_EQ(weir_sync(file), WEIR_OK) << weir_error(weir_);
    return file;
  }
  int put_many(weir_file* file, std::int64_t from, std::int64_t to) {
    int code = WEIR_OK;
    for (std::int64_t r = from; r < to && code == WEIR_OK; ++r) code = put_field(file, r);
    return code == WEIR_OK ? weir_sync(file) : code;
  }

  // A living rank is told within the time, in words that say what, where and who.
  void expect_timeout(const Outcome& outcome, Clock::time_point before, const std::vector<std::string>& words) const {
    EXPECT_EQ(outcome.code, WEIR_ETIMEOUT) << weir_strerror(outcome.code) << ": " << outcome.message;
    EXPECT_LT(Clock::now() - before, longest_call);
    for (const std::string& word : words)
      EXPECT_NE(outcome.message.find(word), std::string::npos) << "\"" << word << "\" is not in: " << outcome.message;
  }
  // Told so from now on, at once.
  void expect_over() {
    expect_over_at_once(timeout_seconds_);
    const auto before = Clock::now();
    EXPECT_EQ(weir_finalize(&weir_), WEIR_ETIMEOUT);
    EXPECT_LT(Clock::now() - before, longest_call);
  }

  // All are in sync again: a new file of the same Weir is whole.
  void expect_recovery() {
    make_good_file(3, "after.nc");
    expect_good_file(3, "after.nc");
  }

  double timeout_seconds_ = 0;
  std::string timeout_;
  int world_rank_ = 0, world_ranks_ = 1;
  MPI_Comm waiting_room_ = MPI_COMM_NULL;
  std::vector<int> pids_;
};
INSTANTIATE_TEST_SUITE_P(All, DynamicFault, testing::ValuesIn(ways),
                         [](const auto& tested) { return std::string(tested.param.name); });

using ControlFault = DynamicFault;
INSTANTIATE_TEST_SUITE_P(All, ControlFault, testing::ValuesIn(remote_ways),
                         [](const auto& tested) { return std::string(tested.param.name); });

// ---- ranks that do not come

TEST_P(DynamicFault, RankThatNeverArrives) {
  if (!begin_model(timeout_ + "buffer_limit: 64KiB\n", WEIR_ETIMEOUT)) return wait_for_all(waiting_room_);
  weir_file* file = begin_committed();
  const auto before = Clock::now();
  if (!odd()) {
    const Outcome outcome = first_error([&] { return put_many(file, 1, 100000); });
    expect_timeout(outcome, before, {"rank(s) " + std::to_string(ranks_ - 1), "put of \"temp\" record", path()});
  }
  wait_for_all(waiting_room_);
  if (odd()) {
    EXPECT_EQ(put_many(file, 1, 100000), WEIR_ETIMEOUT) << weir_error(weir_);
  }
  expect_over();
}

TEST_P(DynamicFault, RankThatDoesNotComeToTheCommit) {
  if (!begin_model(timeout_, WEIR_ETIMEOUT)) return wait_for_all(waiting_room_);
  weir_file* file = begin_committed();
  EXPECT_EQ(put_field(file, 1), WEIR_OK) << weir_error(weir_);
  const auto before = Clock::now();
  if (!odd()) {
    const Outcome outcome = first_error([&] { return weir_sync(file); });
    expect_timeout(outcome, before, {"weir_sync", "rank(s) " + std::to_string(ranks_ - 1), "\"temp\"", path()});
  }
  wait_for_all(waiting_room_);
  if (odd()) {
    EXPECT_EQ(first_error([&] { return weir_sync(file); }).code, WEIR_ETIMEOUT);
  }
  expect_over();
}

// Stopped anywhere: between calls, in one, while its thread writes.
TEST_P(DynamicFault, RankThatDies) {
  if (!begin_model(timeout_ + "buffer_limit: 64KiB\nwriters_per_host: 1\n", WEIR_ETIMEOUT))
    return wait_for_all(waiting_room_);
  weir_file* file = begin_committed();
  std::thread killer;
  const int victim = pids_[static_cast<std::size_t>(ranks_ - 1)];
  if (rank_ == 0)
    killer = std::thread([victim] {
      std::this_thread::sleep_for(std::chrono::milliseconds(150));
      kill(victim, SIGSTOP);
    });
  const Outcome outcome = first_error([&] {
    int code = WEIR_OK;
    for (std::int64_t r = 1; code == WEIR_OK; ++r) code = put_field(file, r);
    return code;
  });
  if (rank_ == 0) killer.join();
  EXPECT_EQ(outcome.code, WEIR_ETIMEOUT) << weir_strerror(outcome.code) << ": " << outcome.message;
  if (!odd()) {
    EXPECT_NE(outcome.message.find("\"temp\" record"), std::string::npos) << outcome.message;
  }
  if (rank_ == 0) {
    std::this_thread::sleep_for(std::chrono::duration<double>(2 * timeout_seconds_));
    kill(victim, SIGCONT);
  }
  wait_for_all(waiting_room_);
  expect_over();
}

// One that is killed is never to be waited for again, by no barrier and no MPI_Finalize: who lives says what it was
// told in a file, and goes.
TEST_P(DynamicFault, RankThatIsKilled) {
  const char* words = std::getenv("LAST_WORDS");
  if (!words) GTEST_SKIP() << "tests/cli/dead_rank.sh runs this";
  const auto leave = [&](const std::string& message) {
    std::ofstream(std::string(words) + "/" + std::to_string(world_rank_)) << message << std::endl;
    std::_Exit(0);
  };
  if (!begin_model(timeout_ + "buffer_limit: 64KiB\n", WEIR_ETIMEOUT))
    leave(GetParam().control_rank ? weir_init_error() : "had no part");
  weir_file* file = begin_committed();
  for (std::int64_t r = 1;; ++r) {
    if (odd() && r == 40) kill(getpid(), SIGKILL);
    if (put_field(file, r) != WEIR_OK) leave(weir_error(weir_));
  }
}

// ---- ranks that do different things

TEST_P(DynamicFault, OrderOfPutsDiffers) {
  if (!begin_model(no_timeout)) return;
  weir_file* file = begin_committed();
  const auto temp = [&] { return put_field(file, 1); };
  const auto mask = [&] { return put_mask(file); };
  const auto sync = [&] { return weir_sync(file); };
  const Outcome outcome = odd() ? last_error(mask, temp, sync) : last_error(temp, mask, sync);
  EXPECT_EQ(outcome.code, WEIR_EMISMATCH) << outcome.message;
  EXPECT_NE(outcome.message.find("same order"), std::string::npos) << outcome.message;
  EXPECT_EQ(weir_close(file), WEIR_EMISMATCH);
  expect_good_file(1);
  expect_recovery();
}

// Ranks of one host see that one of them has gone on to meet; elsewhere it may take the time of a rank that does not
// come.
TEST_P(DynamicFault, PutThatNobodyElseMakes) {
  const bool one_host = std::string(GetParam().config).find("ranks_per_host") == std::string::npos;
  if (!begin_model(one_host ? no_timeout : timeout_, one_host ? WEIR_OK : either)) return;
  weir_file* file = begin_committed();
  const auto before = Clock::now();
  const Outcome outcome = last_error([&] { return put_field(file, 1); },
                                     [&] { return odd() ? put_mask(file) : WEIR_OK; }, [&] { return weir_sync(file); });
  EXPECT_TRUE(outcome.code == WEIR_EMISMATCH || (!one_host && outcome.code == WEIR_ETIMEOUT)) << outcome.message;
  EXPECT_LT(Clock::now() - before, longest_call);
  const bool told = odd() || outcome.code == WEIR_EMISMATCH;  // else the rank knows its own puts alone
  for (const char* word : {told ? "\"mask\"" : "\"temp\"", "rank", "put of"})
    EXPECT_NE(outcome.message.find(word), std::string::npos) << word << " is not in: " << outcome.message;
  EXPECT_EQ(weir_close(file), outcome.code);
  EXPECT_EQ(of_rank_0(std::to_string(outcome.code)), std::to_string(outcome.code));
  if (outcome.code == WEIR_ETIMEOUT) return;
  expect_good_file(1);
  expect_recovery();
}

// Of another rank each time, so that holders and others take turns at it.
TEST_P(DynamicFault, RefusedPutOfOneRank) {
  if (!begin_model(no_timeout + "buffer_limit: 64KiB\n")) return;
  for (int culprit = 0; culprit < ranks_; ++culprit) {
    weir_file* file = begin("file" + std::to_string(culprit) + ".nc");
    for (std::int64_t r = 0; r < 40; ++r) EXPECT_EQ(put_field(file, r), WEIR_OK) << weir_error(weir_);
    EXPECT_EQ(weir_sync(file), WEIR_OK) << weir_error(weir_);
    const Outcome outcome = last_error(
        [&] { return rank_ == culprit ? weir_put(file, temp_, 40, rows_, WEIR_FLOAT, nullptr) : put_field(file, 40); },
        [&] { return put_many(file, 41, 300); }, [&] { return weir_sync(file); });
    expect_same(outcome, WEIR_EARGUMENT, {"\"temp\"", "NULL", "rank " + std::to_string(culprit)});
    EXPECT_EQ(weir_close(file), WEIR_EARGUMENT);
    expect_good_file(40, "file" + std::to_string(culprit) + ".nc");
  }
  expect_recovery();
}

// ---- the control rank

TEST_P(ControlFault, IsLate) {
  if (!begin_model(no_timeout + "buffer_limit: 64KiB\n")) return;
  weir_file* file = begin();
  const int control = pids_.back();
  for (std::int64_t r = 0; r < 60; ++r) {
    if (rank_ == 0 && r % 20 == 10) kill(control, SIGSTOP);
    if (rank_ == 0 && r % 20 == 10)
      std::thread([control] {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        kill(control, SIGCONT);
      }).detach();
    EXPECT_EQ(put_field(file, r), WEIR_OK) << weir_error(weir_);
  }
  EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
  expect_good_file(60);
}

TEST_P(ControlFault, NeverAnswers) {
  if (!begin_model(timeout_ + "buffer_limit: 64KiB\n", WEIR_ETIMEOUT)) return wait_for_all(waiting_room_);
  weir_file* file = begin_committed();
  const auto before = Clock::now();
  if (rank_ == 0) kill(pids_.back(), SIGSTOP);
  MPI_Barrier(team_);
  const Outcome outcome = first_error([&] { return put_many(file, 1, 100000); });
  expect_timeout(outcome, before, {"\"temp\" record", path(), "scheduler"});
  MPI_Barrier(team_);
  expect_over();
  if (rank_ == 0) kill(pids_.back(), SIGCONT);
  wait_for_all(waiting_room_);
}

}  // namespace
}  // namespace faults
