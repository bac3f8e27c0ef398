// SPDX-License-Identifier: Apache-2.0
// Whole jobs by the seed, on a simulated machine: weir-sim [--grouped] FIRST COUNT [FOLDER], or --story SEED [FOLDER].
#include <malloc.h>
#include <mpi.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "trial.hpp"

namespace {

constexpr long longest_seconds = 60;  // of the processor, where a seed takes a hundredth of one

volatile std::uint64_t present_seed = 0;
bool grouped = false;  // files are committed as one

// The program ends here, and says of which seed.
extern "C" void end_of_program(int signal) {
  char text[120];
  const char* what = signal == SIGPROF ? "endless: a rank calculates for ever" : "crash: ";
  const int length =
      std::snprintf(text, sizeof text, "seed %llu  %s%s\n", static_cast<unsigned long long>(present_seed), what,
                    signal == SIGPROF ? "" : strsignal(signal));
  const ssize_t told = write(STDOUT_FILENO, text, static_cast<std::size_t>(length));
  _exit(told == length ? 3 : 4);
}

// On a stack of its own, since that of a rank may be what is used up.
void watch_for_the_end() {
  static char stack[1 << 16];
  const stack_t other{stack, 0, sizeof stack};
  sigaltstack(&other, nullptr);
  struct sigaction action {};
  action.sa_handler = end_of_program;
  action.sa_flags = SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPROF}) sigaction(signal, &action, nullptr);
}

void begin_seed(std::uint64_t seed) {
  present_seed = seed;
  const itimerval left{{0, 0}, {longest_seconds, 0}};
  setitimer(ITIMER_PROF, &left, nullptr);
}

int story(std::uint64_t seed, const std::string& folder) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const sim::Trial trial = sim::draw(seed, grouped);
  std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), trial.words().c_str());
  const sim::Outcome outcome = sim::run(trial, folder + "/" + std::to_string(seed), true);
  std::printf("%s\n", outcome.wrong.empty() ? "as promised" : outcome.wrong.c_str());
  return outcome.wrong.empty() ? 0 : 1;
}

// What goes wrong, and a last line for tools/sim: seeds, those in which something happened, records committed, calls,
// seeds that were not as promised, milliseconds of the longest one, which that was.
int many(std::uint64_t first, std::uint64_t count, const std::string& folder) {
  unsigned long long wrong = 0, struck = 0, records = 0, calls = 0, longest = 0, longest_seed = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const auto began = std::chrono::steady_clock::now();
    begin_seed(seed);
    const sim::Trial trial = sim::draw(seed, grouped);
    const sim::Outcome outcome = sim::run(trial, folder + "/" + std::to_string(seed));
    struck += outcome.fired ? 1 : 0;
    records += static_cast<unsigned long long>(outcome.records);
    calls += static_cast<unsigned long long>(outcome.points);
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began);
    if (static_cast<unsigned long long>(took.count()) > longest)
      longest = static_cast<unsigned long long>(took.count()), longest_seed = seed;
    if (outcome.wrong.empty()) continue;
    ++wrong;
    std::printf("seed %llu  %s\n    %s\n", static_cast<unsigned long long>(seed), outcome.wrong.c_str(),
                trial.words().c_str());
    std::fflush(stdout);
  }
  std::printf("sums %llu %llu %llu %llu %llu %llu %llu\n", static_cast<unsigned long long>(count), struck, records,
              calls, wrong, longest, longest_seed);
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  grouped = argc > 1 && std::strcmp(argv[1], "--grouped") == 0;
  if (grouped) ++argv, --argc;
  if (argc < 3)
    return std::fprintf(stderr, "usage: weir-sim [--grouped] FIRST COUNT [FOLDER] | --story SEED [FOLDER]\n"), 2;
  const std::string folder = argc > 3 ? argv[3] : "/dev/shm/weir-sim." + std::to_string(getpid());
  setenv("OMPI_MCA_io", "romio321", 0);  // for one process: looks for no memory to share
  mallopt(M_MMAP_THRESHOLD, 1 << 30), mallopt(M_TRIM_THRESHOLD, 1 << 30);  // memory of one seed is the next one's
  MPI_Init(nullptr, nullptr);
  watch_for_the_end();
  const bool tells = std::strcmp(argv[1], "--story") == 0;
  const int result = tells ? story(std::strtoull(argv[2], nullptr, 10), folder)
                           : many(std::strtoull(argv[1], nullptr, 10), std::strtoull(argv[2], nullptr, 10), folder);
  MPI_Finalize();
  return result;
}
