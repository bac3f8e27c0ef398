// SPDX-License-Identifier: Apache-2.0
// Joins the files of file_per_rank and file_per_domain with the program weir-merge that lies beside this one.
#pragma once

#include <mpi.h>

#include <string>

namespace weir::bench {

// Merges all files named `path` and more into `merged`. Returns false on all ranks, with the reason in `why`, where
// there is no weir-merge; throws BenchError where it fails. Collective.
bool merge_parts(const std::string& path, const std::string& merged, MPI_Comm comm, std::string& why);

}  // namespace weir::bench
