// SPDX-License-Identifier: Apache-2.0
// ranks: 4
// cores: 1
// timeout: 240
// A job that a batch system suspends for longer than `timeout` and then continues: nobody is missing, and nothing
// fails, although some ranks were waiting for another.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <ctime>

#include "faults/strategies.hpp"

namespace faults {
namespace {

class SuspendedJob : public StrategyTest {
 protected:
  void SetUp() override {
    FaultTest::SetUp();
    timeout_seconds_ = timeout_in_reach(2);
    pids_.resize(static_cast<std::size_t>(ranks_));
    const int own = getpid();
    MPI_Allgather(&own, 1, MPI_INT, pids_.data(), 1, MPI_INT, MPI_COMM_WORLD);
  }

  // By a process of its own, soon. It makes nothing but calls of the system.
  pid_t suspend_all() const {
    const pid_t child = fork();
    if (child != 0) return child;
    const timespec soon{0, 300'000'000}, later{static_cast<time_t>(timeout_seconds_) + 3, 0};
    nanosleep(&soon, nullptr);
    for (const int pid : pids_) kill(pid, SIGSTOP);
    nanosleep(&later, nullptr);
    for (const int pid : pids_) kill(pid, SIGCONT);
    _exit(0);
  }
  // A second of its own time: it goes on where it was when the job was suspended.
  static void compute() {
    for (int step = 0; step < 100; ++step) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }

  double timeout_seconds_ = 0;

 private:
  std::vector<int> pids_;
};
INSTANTIATE_TEST_SUITE_P(All, SuspendedJob, testing::Values("remap", "dynamic", "collective", "servers"),
                         strategy_name);

TEST_P(SuspendedJob, GoesOn) {
  const bool first = rank_ == 0;
  if (!begin_strategy(timeout_of(timeout_seconds_))) return;
  weir_file* file = begin();
  EXPECT_EQ(put_field(file, 0), WEIR_OK) << weir_error(weir_);
  const pid_t child = first ? suspend_all() : 0;
  if (is_last()) compute();
  EXPECT_EQ(weir_sync(file), WEIR_OK) << weir_error(weir_);
  if (first) waitpid(child, nullptr, 0);
  EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
  expect_good_file(1);
}

}  // namespace
}  // namespace faults
