// SPDX-License-Identifier: Apache-2.0
// weir-doctor [--json] [FOLDER]: what this machine has for Weir, and what to set: MPI and its launcher, hosts, Weir's
// configuration and bridges, and the folder that files go to. Start it as the model is started. Exit code 0: nothing is
// in Weir's way; 1: something is; 2: the command line was wrong.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include "base/text.hpp"
#include "checks.hpp"
#include "plain_options.hpp"

namespace weir::doctor {
namespace {

struct SomethingWrong : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void say(const std::vector<SharedFinding>& all, int ranks) {
  const auto hosts =
      std::count_if(all.begin(), all.end(), [](const auto& each) { return each.finding.topic == "host"; });
  for (const SharedFinding& shared : all) std::printf("%s\n", in_words(shared, ranks, static_cast<int>(hosts)).c_str());
  std::vector<std::string> told;
  for (const SharedFinding& shared : all) {
    const std::string& advice = shared.finding.advice;
    if (advice.empty() || std::find(told.begin(), told.end(), advice) != told.end()) continue;
    if (told.empty()) std::printf("\nWhat to do:\n");
    std::printf("  - %s\n", advice.c_str());
    told.push_back(advice);
  }
}

void examine(const bench::PlainOptions& line, const bench::PlainRanks& ranks) {
  if (line.words.size() > 1) throw bench::WrongLine("more than one folder is given: give one");
  Place place;
  place.mpi = bench::started_as_rank();
  if (place.mpi) {
    place.all = Comm::duplicate(MPI_COMM_WORLD);
    place.host = Comm::of_host(place.all);
    MPI_Query_thread(&place.thread_level);
  }
  const std::filesystem::path folder = line.words.empty() ? "." : line.words.front();
  Findings findings;
  check_weir(findings);
  check_mpi(place, findings);
  check_host(place, findings);
  check_folder(place, std::filesystem::absolute(folder).lexically_normal().string(), findings);
  const std::vector<SharedFinding> all = gathered(findings, place.all);
  if (ranks.rank == 0 && line.given.contains("json"))
    std::printf("%s\n", as_json(all, ranks.size).c_str());
  else if (ranks.rank == 0)
    say(all, ranks.size);
  std::fflush(stdout);
  int wrong = 0;
  for (const SharedFinding& shared : all) wrong += shared.finding.wrong ? 1 : 0;
  if (place.mpi) MPI_Bcast(&wrong, 1, MPI_INT, 0, place.all.raw());
  if (wrong > 0)
    throw SomethingWrong(formatted("{} of these {} in Weir's way, marked !", wrong, wrong == 1 ? "is" : "are"));
}

}  // namespace
}  // namespace weir::doctor

int main(int argc, char** argv) {
  const char* const usage =
      "weir-doctor [--json] [FOLDER]\n"
      "Says what this machine has for Weir, and what to set. Start it as the model is started.\n"
      "  FOLDER       to which files go (default: the working directory)\n"
      "  --json       print JSON\n";
  return weir::bench::run_by_ranks({"weir-doctor", usage, {"json"}, weir::doctor::examine, MPI_THREAD_MULTIPLE}, argc,
                                   argv);
}
