// SPDX-License-Identifier: Apache-2.0
// Makes one file of the part files that file_per_rank or file_per_domain wrote. It is a model like any other: each rank
// holds what some parts hold, and puts it; any number of ranks will do. The file is the one a strategy that writes one
// file would have written, byte for byte.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

namespace weir {

struct MergeOptions {
  std::string config = {};    // Weir's configuration, a YAML file or text; "" for none
  bool overwrite = false;     // a file that is there is replaced; else it is an error
  std::int64_t records = -1;  // so many from the first on; -1: all, of which every part must have the same number
};

// All of `parts` into `path`. Nothing is written before the parts are found to be those of one file, each element in
// one of them at the most. Throws Error, the same on all ranks. Collective.
void merge(MPI_Comm world, const std::string& path, const std::vector<std::string>& parts, const MergeOptions& options);

}  // namespace weir
