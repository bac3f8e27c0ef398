// SPDX-License-Identifier: Apache-2.0
// What weir-doctor looks at. Each check adds what this rank found.
#pragma once

#include <string>

#include "finding.hpp"
#include "mpi/comm.hpp"

namespace weir::doctor {

struct Place {
  bool mpi = false;      // a launcher has started this process, and MPI has begun
  Comm all, host;        // without MPI: of one rank
  int thread_level = 0;  // that MPI gave; asked for: MPI_THREAD_MULTIPLE
};

// MPI and its launcher: which MPI answers, its threads, whether the ranks are one job. Local.
void check_mpi(const Place& place, Findings& findings);
// The host: its name, the ranks on it, cores, memory that ranks share, open files. Collective.
void check_host(const Place& place, Findings& findings);
// Weir itself: its configuration, netCDF-4, the bridges. Local.
void check_weir(Findings& findings);
// A folder that files go to: its file system, room, what it can do; and whether all ranks see one another's files.
// Leaves nothing there. Collective.
void check_folder(const Place& place, const std::string& folder, Findings& findings);

}  // namespace weir::doctor
