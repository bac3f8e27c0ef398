// SPDX-License-Identifier: Apache-2.0
// ranks: 4
// cores: 1
// timeout: 400
// alone: MPI with another level of threads
// Ranks that others wait for in vain where nobody of the path's steps is theirs: a model without its rank 0, whom
// servers follow, and a storage that does not take what a writer thread writes. Nothing hangs, and nobody is left
// behind.
#include <dlfcn.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "faults/faults.hpp"

// Of a test by itself: as all others.
int thread_level() {
  return std::getenv("SLOW_CALL_THREADS") ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED;
}

namespace {

std::atomic<int> write_seconds = 0;  // that the storage takes for what this rank's tiles bring

}  // namespace

// In place of the system's, for what is linked into this program.
extern "C" ssize_t pwritev(int file, const iovec* parts, int count, off_t at) {
  static const auto original =
      reinterpret_cast<ssize_t (*)(int, const iovec*, int, off_t)>(dlsym(RTLD_NEXT, "pwritev"));
  std::this_thread::sleep_for(std::chrono::seconds(write_seconds.load()));
  return original(file, parts, count, at);
}

namespace faults {
namespace {

struct Way {
  const char* name;
  const char* config;
  int servers;
};
void PrintTo(const Way& way, std::ostream* out) {
  *out << way.name;
}

class LeftAlone : public FaultTest, public testing::WithParamInterface<Way> {
 protected:
  void SetUp() override {
    FaultTest::SetUp();
    MPI_Comm_dup(MPI_COMM_WORLD, &waiting_room_);
    serves_ = rank_ >= ranks_ - GetParam().servers;
    ranks_ -= GetParam().servers;  // the model's
  }
  void TearDown() override {
    FaultTest::TearDown();
    MPI_Comm_free(&waiting_room_);
    write_seconds = 0;
  }

  std::string config(double timeout_seconds, const std::string& more = "") const {
    return GetParam().config + timeout_of(timeout_seconds) + "durability: cache\n" + more;
  }
  // Told within the time, in words that hold these.
  static void expect_timeout(const Outcome& outcome, Clock::time_point before, const std::string& word) {
    EXPECT_EQ(outcome.code, WEIR_ETIMEOUT) << outcome.message;
    EXPECT_NE(outcome.message.find(word), std::string::npos) << word << " is not in: " << outcome.message;
    EXPECT_LT(Clock::now() - before, longest_call);
  }
  MPI_Comm waiting_room_ = MPI_COMM_NULL;
  bool serves_ = false;
};

class WithoutRank0 : public LeftAlone {};
INSTANTIATE_TEST_SUITE_P(All, WithoutRank0,
                         testing::Values(Way{"OneServer", "strategy: servers\nservers: 1\n", 1},
                                         Way{"TwoServers", "strategy: servers\nservers: 2\n", 2}),
                         [](const auto& way) { return way.param.name; });

// It tells servers what the model calls; here it calls nothing any more.
TEST_P(WithoutRank0, EndsServersToo) {
  const double timeout = timeout_in_reach(3);
  const auto before = Clock::now();
  const Outcome outcome = try_start(config(timeout));
  if (serves_) {
    expect_timeout(outcome, before, "given up by rank ");
    return wait_for_all(waiting_room_);
  }
  ASSERT_EQ(outcome.code, WEIR_OK) << outcome.message;
  weir_file* file = begin();
  EXPECT_EQ(put_field(file, 0), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(weir_sync(file), WEIR_OK) << weir_error(weir_);
  if (rank_ > 0) {
    const int code = put_field(file, 1) == WEIR_OK ? weir_sync(file) : WEIR_EINTERNAL;
    expect_timeout({code, weir_error(weir_)}, before, "rank(s) 0 did not reach");
  }
  wait_for_all(waiting_room_);
  const int late = weir_sync(file);
  EXPECT_EQ(late, WEIR_ETIMEOUT) << weir_error(weir_);
}

class StuckStorage : public LeftAlone {};
INSTANTIATE_TEST_SUITE_P(All, StuckStorage,
                         testing::Values(Way{"Remap", "strategy: remap\noverlap: background\n", 0},
                                         Way{"Servers", "strategy: servers\nservers: 1\n", 1},
                                         Way{"Dynamic", "strategy: dynamic\noverlap: background\n", 0}),
                         [](const auto& way) { return way.param.name; });

// Ten minutes for a record, and storage_timeout says that these are too many: whoever waits for the thread is told,
// and may go, though the thread cannot be ended.
TEST_P(StuckStorage, IsTold) {
  const double timeout = timeout_in_reach(3);
  const auto before = Clock::now();
  write_seconds = 600;
  const Outcome outcome = try_start(config(timeout, "storage_" + timeout_of(timeout + 1)));
  if (serves_) {
    expect_timeout(outcome, before, "");
    return wait_for_all(waiting_room_);
  }
  ASSERT_EQ(outcome.code, WEIR_OK) << outcome.message;
  weir_file* file = create();
  define(file);
  EXPECT_EQ(weir_set_fill(file, WEIR_NOFILL), WEIR_OK) << weir_error(weir_);  // a commit would fill in its own call
  EXPECT_EQ(weir_enddef(file), WEIR_OK) << weir_error(weir_);
  rows_ = layout_of(2 * rank_, 2);
  const int code = put_field(file, 0) == WEIR_OK ? weir_sync(file) : WEIR_EINTERNAL;
  expect_timeout({code, weir_error(weir_)}, before, "weir_sync");
  EXPECT_EQ(weir_finalize(&weir_), WEIR_ETIMEOUT);
  EXPECT_LT(Clock::now() - before, longest_call);
  wait_for_all(waiting_room_);
}

class SlowStorage : public LeftAlone {};
INSTANTIATE_TEST_SUITE_P(All, SlowStorage,
                         testing::Values(Way{"Remap", "strategy: remap\noverlap: none\n", 0},
                                         Way{"Beside", "strategy: remap\noverlap: background\n", 0},
                                         Way{"Hosts", "strategy: remap\ndebug.ranks_per_host: 1\n", 0},
                                         Way{"Servers", "strategy: servers\nservers: 1\n", 1},
                                         Way{"Slack", "strategy: dynamic\noverlap: slack\n", 0},
                                         Way{"Dynamic", "strategy: dynamic\noverlap: background\n", 0}),
                         [](const auto& way) { return way.param.name; });

// A record takes more than twice as long as ranks wait for each other. All are there: nobody gives up, and the report
// says why it took so long.
TEST_P(SlowStorage, IsWaitedFor) {
  write_seconds = 8;
  const Outcome outcome = try_start(config(3));
  if (!serves_) {
    ASSERT_EQ(outcome.code, WEIR_OK) << outcome.message;
    weir_file* file = create();
    define(file);
    EXPECT_EQ(weir_set_fill(file, WEIR_NOFILL), WEIR_OK) << weir_error(weir_);
    EXPECT_EQ(weir_enddef(file), WEIR_OK) << weir_error(weir_);
    rows_ = layout_of(2 * rank_, 2);
    EXPECT_EQ(put_field(file, 0), WEIR_OK) << weir_error(weir_);
    EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
    const char* json = "";
    EXPECT_EQ(weir_report(weir_, &json), WEIR_OK) << weir_error(weir_);
    EXPECT_NE(std::string(json).find("the storage is slow: rank(s) "), std::string::npos) << json;
    EXPECT_EQ(weir_finalize(&weir_), WEIR_OK) << weir_init_error();
  }
  wait_for_all(waiting_room_);
}

class SlowEnd : public FaultTest, public testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, SlowEnd, testing::Values("report", "trace"), [](const auto& key) { return key.param; });

// What rank 0 writes at the end goes into a pipe that nobody reads for longer than ranks wait for each other.
TEST_P(SlowEnd, IsWaitedFor) {
  const std::string pipe = path("pipe");
  if (rank_ == 0) {
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  }
  MPI_Barrier(team_);
  start("timeout: 2\n" + std::string(GetParam()) + ": " + pipe + "\n");
  std::string text;
  std::thread reader;
  if (rank_ == 1)
    reader = std::thread([&] {
      std::this_thread::sleep_for(std::chrono::seconds(6));
      text = contents(pipe);
    });
  const Outcome outcome = end();
  EXPECT_EQ(outcome.code, WEIR_OK) << outcome.message;
  if (!reader.joinable()) return;
  reader.join();
  EXPECT_EQ(text.substr(0, 1), "{");
}

// A call of the system that takes longer than ranks wait for each other: tests/cli/slow_calls.sh says which, and lets
// the fault layer (tests/harness/layer.h) make it slow.
class SlowCall : public FaultTest {
 protected:
  // The model's next step begins; the layer counts calls from there.
  void phase(const char* name) const {
    using Phase = void (*)(const char*);
    if (const auto tell = reinterpret_cast<Phase>(dlsym(RTLD_DEFAULT, "fault_phase"))) tell(name);
  }
  void read_back() {
    weir_file* file = nullptr;
    phase("open");
    ASSERT_EQ(weir_open(weir_, path().c_str(), WEIR_NOWRITE, &file), WEIR_OK) << weir_error(weir_);
    phase("get");
    const std::int64_t start[] = {0, 2 * rank_, 0}, count[] = {1, 2, 6};
    std::vector<float> values(12);
    EXPECT_EQ(weir_get_vara(file, temp_, start, count, WEIR_FLOAT, values.data()), WEIR_OK) << weir_error(weir_);
    EXPECT_EQ(values, field(0));
    EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
  }
};

TEST_F(SlowCall, IsWaitedFor) {
  const char* const config = std::getenv("SLOW_CALL_CONFIG");
  if (!config) GTEST_SKIP() << "tests/cli/slow_calls.sh runs it";
  const std::string ends = "report: " + path("report.json") + "\ntrace: " + path("trace.json") + "\n";
  start("timeout: 2\n" + ends + config);
  phase("create");
  weir_file* file = create();
  define(file);
  phase("enddef");
  ASSERT_EQ(weir_enddef(file), WEIR_OK) << weir_error(weir_);
  rows_ = layout_of(2 * rank_, 2);
  phase("put");
  EXPECT_EQ(put_field(file, 0), WEIR_OK) << weir_error(weir_);
  phase("sync");
  EXPECT_EQ(weir_sync(file), WEIR_OK) << weir_error(weir_);
  phase("close");
  EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
  const bool in_parts = fs::exists(path("file.nc.0000"));
  if (!in_parts) read_back();
  phase("report");
  const char* json = "";
  EXPECT_EQ(weir_report(weir_, &json), WEIR_OK) << weir_error(weir_);
  const std::string slow = std::getenv("SLOW_CALL_RANK");
  EXPECT_NE(std::string(json).find("the storage is slow: rank(s) " + slow + " have been"), std::string::npos) << json;
  EXPECT_EQ(end().code, WEIR_OK);
}

}  // namespace
}  // namespace faults
