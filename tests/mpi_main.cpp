// SPDX-License-Identifier: Apache-2.0
// main() of every MPI test: GoogleTest on all ranks of MPI_COMM_WORLD. Rank 0 prints; the other ranks print only their
// failures, with their rank. The exit code is the worst over all ranks. RapidCheck draws the same cases on all ranks;
// RC_PARAMS="seed=N" repeats a run. Weir is tested with MPI_THREAD_FUNNELED, but where a test has its own
// thread_level().
#include "mpi_main.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>

#include "files_run.hpp"

[[gnu::weak]] int thread_level() {
  return MPI_THREAD_FUNNELED;
}

namespace {

// Says what failed on a rank that is otherwise silent.
class FailurePrinter : public testing::EmptyTestEventListener {
 public:
  explicit FailurePrinter(int rank) : rank_(rank) {}

  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    const char* file = result.file_name() == nullptr ? "unknown file" : result.file_name();
    const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
    std::fprintf(stderr, "[rank %d] %s:%d: Failure in %s.%s\n%s\n", rank_, file, result.line_number(),
                 test == nullptr ? "" : test->test_suite_name(), test == nullptr ? "" : test->name(), result.message());
  }

 private:
  int rank_;
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
  const int mine = provided < thread_level() || !choose_files(argc, argv) ? 1 : RUN_ALL_TESTS();
  int worst = mine;
  MPI_Allreduce(&mine, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return worst;
}
