// SPDX-License-Identifier: Apache-2.0
// Whole jobs by the seed, on a simulated machine: weir-sim FIRST COUNT [FOLDER]; weir-sim --story SEED [FOLDER].
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "trial.hpp"

namespace {

int story(std::uint64_t seed, const std::string& folder) {
  const sim::Trial trial = sim::draw(seed);
  std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), trial.words().c_str());
  const sim::Outcome outcome = sim::run(trial, folder + "/" + std::to_string(seed), true);
  std::printf("%s\n", outcome.wrong.empty() ? "as promised" : outcome.wrong.c_str());
  return outcome.wrong.empty() ? 0 : 1;
}

int many(std::uint64_t first, std::uint64_t count, const std::string& folder) {
  std::uint64_t wrong = 0, fired = 0, records = 0, points = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const sim::Trial trial = sim::draw(seed);
    const sim::Outcome outcome = sim::run(trial, folder + "/" + std::to_string(seed));
    fired += outcome.fired ? 1 : 0;
    records += static_cast<std::uint64_t>(outcome.records);
    points += static_cast<std::uint64_t>(outcome.points);
    if (outcome.wrong.empty()) continue;
    ++wrong;
    std::printf("seed %llu  %s\n    %s\n", static_cast<unsigned long long>(seed), outcome.wrong.c_str(),
                trial.words().c_str());
    std::fflush(stdout);
  }
  std::printf("%llu seeds from %llu: %llu in which something went wrong, %llu committed records, %llu calls; not as "
              "promised: %llu\n",
              static_cast<unsigned long long>(count), static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(fired), static_cast<unsigned long long>(records),
              static_cast<unsigned long long>(points), static_cast<unsigned long long>(wrong));
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fprintf(stderr, "usage: weir-sim FIRST COUNT [FOLDER] | --story SEED [FOLDER]\n"), 2;
  const std::string folder = argc > 3 ? argv[3] : "/dev/shm/weir-sim." + std::to_string(getpid());
  setenv("OMPI_MCA_io", "romio321", 0);  // for one process: looks for no memory to share
  MPI_Init(nullptr, nullptr);
  const bool tells = std::strcmp(argv[1], "--story") == 0;
  const int result = tells ? story(std::strtoull(argv[2], nullptr, 10), folder)
                           : many(std::strtoull(argv[1], nullptr, 10), std::strtoull(argv[2], nullptr, 10), folder);
  MPI_Finalize();
  return result;
}
