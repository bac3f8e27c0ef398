// SPDX-License-Identifier: Apache-2.0
#include "merge_parts.hpp"

#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "check.hpp"

namespace weir::bench {
namespace {

namespace fs = std::filesystem;

// The environment without the marks that would make a child take itself for an MPI rank: those of Open MPI and of PMIx,
// and those of Hydra, which starts MPICH's and Intel's ranks.
bool marks_a_rank(std::string_view variable) {
  constexpr std::array<std::string_view, 6> marks{"OMPI_", "PMIX_", "PRTE_", "PMI_", "MPI_LOCAL", "HYD"};
  return std::any_of(marks.begin(), marks.end(), [&](std::string_view mark) { return variable.starts_with(mark); });
}
std::vector<char*> plain_environment() {
  std::vector<char*> kept;
  for (char** entry = environ; *entry; ++entry)
    if (!marks_a_rank(*entry)) kept.push_back(*entry);
  kept.push_back(nullptr);
  return kept;
}

void run_program(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::vector<char*> environment = plain_environment();
  pid_t child = 0;
  errno = posix_spawn(&child, arguments[0], nullptr, nullptr, arguments.data(), environment.data());
  check_system(errno == 0 ? 0 : -1, formatted("starting {}", words[0]));
  int status = 0;
  check_system(waitpid(child, &status, 0), formatted("waiting for {}", words[0]));
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw BenchError(formatted("{} did not merge the part files of {}", words[0], words[1]));
  }
}

void merge_here(const fs::path& program, const std::string& path, const std::string& merged) {
  std::vector<std::string> words = {program.string(), merged, "--overwrite"};
  const std::string stem = fs::path(path).filename().string();
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(path).parent_path())) {
    if (entry.path().filename().string().starts_with(stem)) words.push_back(entry.path().string());
  }
  std::sort(words.begin() + 3, words.end());
  run_program(std::move(words));
}

}  // namespace

bool merge_parts(const std::string& path, const std::string& merged, MPI_Comm comm, std::string& why) {
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path() / "weir-merge";
  int rank = 0;
  check_mpi(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  int found = fs::exists(program) ? 1 : 0;
  check_mpi(MPI_Bcast(&found, 1, MPI_INT, 0, comm), "MPI_Bcast");
  if (!found) {
    why = "there is no weir-merge beside weir-bench to join the part files";
    return false;
  }
  if (rank == 0) merge_here(program, path, merged);
  check_mpi(MPI_Barrier(comm), "MPI_Barrier");
  return true;
}

}  // namespace weir::bench
