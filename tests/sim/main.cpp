// SPDX-License-Identifier: Apache-2.0
// Whole jobs by the seed, on a simulated machine:
//
//   weir-sim [--grouped | --packed] [--reduced] FIRST COUNT FOLDER      so many seeds; says which are not as promised
//   weir-sim [--grouped | --packed] [--smaller STEPS] --story SEED FOLDER       one, call by call
//   weir-sim [--grouped | --packed] [--smaller STEPS] --shrink SEED KIND SKIP LEFT_OUT FOLDER    looks for a smaller
//   one that fails alike
//
// With --reduced each seed chooses some steps of its own: what they leave is to be passed, too. STEPS (smaller.hpp),
// between semicolons, are taken from what the seed says. tools/sim calls it.
#include <malloc.h>
#include <mpi.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "smaller.hpp"
#include "trial.hpp"

namespace {

constexpr long longest_seconds = 60;  // of the processor, where a seed takes a hundredth of one

volatile std::uint64_t present_seed = 0;
bool grouped = false;  // files are committed as one
bool packed = false;   // they are netCDF-4 or Zarr
std::string steps;     // that make a seed's trial smaller
bool reduced = false;  // each seed has steps of its own

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

std::string folder_of(const std::string& folder, std::uint64_t seed) {
  return folder + "/" + std::to_string(seed);
}

sim::Trial drawn(std::uint64_t seed) {
  sim::Trial trial = sim::draw(seed, grouped);
  if (packed) sim::pack(trial);
  return trial;
}

// By a process of its own: HDF5 keeps what a rank that was killed had open, and may take it for a file of a later seed.
sim::Outcome run_apart(const sim::Trial& trial, const std::string& folder) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    begin_seed(trial.seed);  // a timer is not inherited
    const sim::Outcome outcome = sim::run(trial, folder_of(folder, trial.seed));
    char line[4096];
    const int length = std::snprintf(line, sizeof line, "%d %lld %d %.3900s", outcome.fired ? 1 : 0,
                                     static_cast<long long>(outcome.points), outcome.records, outcome.wrong.c_str());
    _exit(write(ends[1], line, static_cast<std::size_t>(length)) == length ? 0 : 1);
  }
  close(ends[1]);
  char line[4096] = "";
  const ssize_t got = read(ends[0], line, sizeof line - 1);
  close(ends[0]);
  int how = 0, fired = 0, begin = 0;
  long long points = 0;
  sim::Outcome outcome;
  const bool ended = child > 0 && waitpid(child, &how, 0) == child && WIFEXITED(how) && WEXITSTATUS(how) == 0;
  if (!ended || got <= 0 || std::sscanf(line, "%d %lld %d %n", &fired, &points, &outcome.records, &begin) < 3) {
    outcome.wrong = "crash: the process of this seed has ended";
    return outcome;
  }
  outcome.fired = fired != 0;
  outcome.points = points;
  outcome.wrong = line + begin;
  return outcome;
}

int story(std::uint64_t seed, const std::string& folder) {
  const sim::Trial trial = sim::smaller_by(drawn(seed), steps);
  std::printf("seed %llu: %s: %s\n", static_cast<unsigned long long>(seed), sim::size_of(trial).c_str(),
              trial.words().c_str());
  begin_seed(seed);
  const sim::Outcome outcome = sim::run(trial, folder_of(folder, seed), true);
  std::printf("%s\n", outcome.wrong.empty() ? "as promised" : outcome.wrong.c_str());
  return outcome.wrong.empty() ? 0 : 1;
}

// Where a search goes on after the program has ended under a step: behind it, in a pass that has left out something or
// not before.
struct Resumed {
  std::size_t skip;
  bool left_out;
};

// Leaves out what may be, step by step, as long as the same kind of failure is left: until a pass over all steps leaves
// out nothing. Says where a pass begins, what is tried, what is kept, and at the end what is left.
void shrink(std::uint64_t seed, const std::string& kind, const Resumed& from, const std::string& folder) {
  sim::Trial trial = sim::smaller_by(drawn(seed), steps);
  std::string wrong;
  bool left_out = from.left_out, first = true;
  for (std::size_t skip = from.skip; first || left_out; skip = 0, first = false) {
    if (skip == 0) std::printf("pass\n"), left_out = false;
    std::vector<std::string> possible = sim::steps_down(trial);
    for (std::size_t at = skip; at < possible.size();) {
      std::printf("try %zu %s\n", at, possible[at].c_str());
      begin_seed(seed);
      sim::Trial next = sim::smaller(trial, possible[at]);
      const std::string outcome = sim::run(next, folder_of(folder, seed)).wrong;
      if (outcome.empty() || sim::kind_of(outcome) != kind) {
        ++at;
        continue;
      }
      std::printf("keep %s\n", possible[at].c_str());
      trial = std::move(next), wrong = outcome, left_out = true;
      possible = sim::steps_down(trial);
    }
  }
  std::printf("least %s: %s\n", sim::size_of(trial).c_str(), trial.words().c_str());
  if (!wrong.empty()) std::printf("wrong %s\n", wrong.c_str());
}

// What goes wrong, and a last line for tools/sim: seeds, those in which something happened, records committed, calls,
// seeds that were not as promised, milliseconds of the longest one, which that was.
int many(std::uint64_t first, std::uint64_t count, const std::string& folder) {
  unsigned long long wrong = 0, struck = 0, records = 0, calls = 0, longest = 0, longest_seed = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const auto began = std::chrono::steady_clock::now();
    begin_seed(seed);
    if (reduced) steps = sim::some_steps(drawn(seed));
    const sim::Trial trial = sim::smaller_by(drawn(seed), steps);
    const sim::Outcome outcome = packed ? run_apart(trial, folder) : sim::run(trial, folder_of(folder, seed));
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
    if (!steps.empty()) std::printf("    made smaller: %s\n", steps.c_str());
    std::fflush(stdout);
  }
  std::printf("sums %llu %llu %llu %llu %llu %llu %llu\n", static_cast<unsigned long long>(count), struck, records,
              calls, wrong, longest, longest_seed);
  return wrong == 0 ? 0 : 1;
}

// The words of the command line; 2 where they are none.
int obey(const std::vector<std::string>& words) {
  const auto number = [&](std::size_t at) { return std::stoull(words.at(at)); };
  try {
    if (words.at(0) == "--story") return story(number(1), words.at(2));
    if (words.at(0) == "--shrink") return shrink(number(1), words.at(2), {number(3), number(4) != 0}, words.at(5)), 0;
    return many(number(0), number(1), words.at(2));
  } catch (const std::logic_error& error) {
    std::fprintf(stderr, "weir-sim: %s (tools/sim knows its words)\n", error.what());
    return 2;
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const auto take = [&](std::size_t count) { words.erase(words.begin(), words.begin() + static_cast<long>(count)); };
  if (!words.empty() && words[0] == "--grouped") grouped = true, take(1);
  if (!words.empty() && words[0] == "--packed") packed = true, take(1);
  if (!words.empty() && words[0] == "--reduced") reduced = true, take(1);
  if (words.size() > 1 && words[0] == "--smaller") steps = words[1], take(2);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  setenv("OMPI_MCA_io", "romio321", 0);  // for one process: looks for no memory to share
  mallopt(M_MMAP_THRESHOLD, 1 << 30), mallopt(M_TRIM_THRESHOLD, 1 << 30);  // memory of one seed is the next one's
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);  // a rank has some KB here: to clear 2 MiB for them would take longest
  MPI_Init(nullptr, nullptr);
  watch_for_the_end();
  const int result = obey(words);
  MPI_Finalize();
  return result;
}
