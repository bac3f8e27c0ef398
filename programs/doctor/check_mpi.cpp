// SPDX-License-Identifier: Apache-2.0
#include <mpi.h>

#include <array>
#include <cstdlib>
#include <string>

#include "base/text.hpp"
#include "checks.hpp"
#include "mpi/running_mpi.hpp"

namespace weir::doctor {
namespace {

std::string version_text() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string whole(text, static_cast<std::size_t>(length));
  return whole.substr(0, whole.find_first_of("\n,"));
}

const char* level_name(int level) noexcept {
  if (level == MPI_THREAD_MULTIPLE) return "MPI_THREAD_MULTIPLE";
  if (level == MPI_THREAD_SERIALIZED) return "MPI_THREAD_SERIALIZED";
  return level == MPI_THREAD_FUNNELED ? "MPI_THREAD_FUNNELED" : "MPI_THREAD_SINGLE";
}

// How many processes the launcher has started, as the variables tell that launchers set; 0: they do not.
int started_processes() {
  constexpr std::array names{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PALS_SIZE", "SLURM_STEP_NUM_TASKS"};
  for (const char* const name : names)
    if (const char* const value = std::getenv(name)) return std::atoi(value);
  return 0;
}

}  // namespace

void check_mpi(const Place& place, Findings& findings) {
  const std::string mismatch = mpi_mismatch();
  findings.push_back({"MPI", mismatch.empty() ? version_text() : mismatch, "", !mismatch.empty()});
  if (!mismatch.empty())
    findings.back().advice = "start the model with the MPI that Weir was built with, or build Weir with the model's";
  if (!place.mpi) {
    findings.push_back({"ranks", "no launcher has started this process, so that it is one rank without MPI",
                        "run it as the model is run: weir doctor --launcher 'srun -n 128' FOLDER"});
    return;
  }
  Finding threads{"threads", formatted("MPI gives {}", level_name(place.thread_level)), ""};
  if (place.thread_level != MPI_THREAD_MULTIPLE)
    threads.advice = "this MPI has no MPI_THREAD_MULTIPLE, which progress: thread needs; leave progress: auto";
  findings.push_back(threads);
  const int started = started_processes();
  if (started > 1 && place.all.size() == 1)
    findings.push_back({"ranks", formatted("the launcher started {} processes, and each is a job of one rank", started),
                        "the launcher belongs to another MPI: use the mpiexec of the MPI above", true});
}

}  // namespace weir::doctor
