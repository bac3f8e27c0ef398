// SPDX-License-Identifier: Apache-2.0
// main() of every MPI test: GoogleTest on all ranks of MPI_COMM_WORLD. Rank 0 prints; the other ranks print only their
// failures, with their rank. Where a test fails on any rank, rank 0 says so, and the exit code is the same on all
// ranks. A rank that has failed may have left the others behind in a call that waits for it: the test then ends the
// program soon. RapidCheck draws the same cases on all ranks; RC_PARAMS="seed=N" repeats a run. Weir is tested with
// MPI_THREAD_FUNNELED, but where a test has its own thread_level().
#include "mpi_main.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "files_run.hpp"

[[gnu::weak]] int thread_level() {
  return MPI_THREAD_FUNNELED;
}

namespace {

// Says what failed on a rank that is otherwise silent.
class FailurePrinter : public testing::EmptyTestEventListener {
 public:
  explicit FailurePrinter(int rank) : rank_(rank) {}

  void OnTestStart(const testing::TestInfo& test) override { test_ = &test; }
  // GoogleTest holds a lock meanwhile, so that it cannot be asked for the test.
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    const char* file = result.file_name() == nullptr ? "unknown file" : result.file_name();
    std::fprintf(stderr, "[rank %d] %s:%d: Failure in %s.%s\n%s\n", rank_, file, result.line_number(),
                 test_ == nullptr ? "" : test_->test_suite_name(), test_ == nullptr ? "" : test_->name(),
                 result.message());
  }

 private:
  int rank_;
  const testing::TestInfo* test_ = nullptr;
};

// All ranks end a test together.
class Together : public testing::EmptyTestEventListener {
 public:
  Together() {
    MPI_Comm_dup(MPI_COMM_WORLD, &ends_);
    MPI_Comm_rank(ends_, &rank_);
    MPI_Comm_size(ends_, &ranks_);
  }

  void OnTestStart(const testing::TestInfo&) override { failed_ = false; }
  void OnTestPartResult(const testing::TestPartResult& result) override {
    constexpr unsigned seconds_after_failure = 20;
    if (result.failed() && !std::exchange(failed_, true)) end_within(seconds_after_failure);
  }
  void OnTestEnd(const testing::TestInfo&) override {
    int first = failed_ ? rank_ : ranks_;
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, ends_);
    if (rank_ == 0 && first > 0 && first < ranks_) ADD_FAILURE() << "it has failed on rank " << first;
  }
  void OnTestProgramEnd(const testing::UnitTest&) override { MPI_Comm_free(&ends_); }

 private:
  MPI_Comm ends_ = MPI_COMM_NULL;
  int rank_ = 0, ranks_ = 1;
  bool failed_ = false;
};

void silence(int rank) {
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  const std::unique_ptr<testing::TestEventListener> printer(listeners.Release(listeners.default_result_printer()));
  listeners.Append(new FailurePrinter(rank));  // GoogleTest owns it from here
}

// RapidCheck reads its seed from the environment. Collective.
void share_seed() {
  std::random_device entropy;
  std::uint64_t seed = std::uint64_t{entropy()} << 32 | entropy();
  MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  const int keep_the_users = 0;
  setenv("RC_PARAMS", ("seed=" + std::to_string(seed)).c_str(), keep_the_users);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, thread_level(), &provided);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  testing::InitGoogleTest(&argc, argv);
  if (rank != 0) silence(rank);
  share_seed();
  if (provided < thread_level() && rank == 0) std::fprintf(stderr, "MPI gives level %d of threads only\n", provided);
  const bool runs = provided >= thread_level() && choose_files(argc, argv);
  // Last, so that a failure that it adds is told by the others.
  testing::UnitTest::GetInstance()->listeners().Append(new Together);  // GoogleTest owns it from here
  const int mine = runs ? RUN_ALL_TESTS() : 1;
  int worst = mine;
  MPI_Allreduce(&mine, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return worst;
}
