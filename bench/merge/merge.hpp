// SPDX-License-Identifier: Apache-2.0
// Makes one file of the part files that file_per_rank or file_per_domain wrote. It is a model like any other: each rank
// holds what some parts hold, and puts it; any number of ranks will do. The file is the one a strategy that writes one
// file would have written, byte for byte.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

namespace weir {

// All of `parts` into `path`. config: Weir's configuration, a YAML file or text; "" for none. Throws Error. Collective.
void merge(MPI_Comm world, const std::string& path, const std::vector<std::string>& parts, const std::string& config);

}  // namespace weir
