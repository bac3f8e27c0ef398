// SPDX-License-Identifier: Apache-2.0
// The machine a figure was made on.
#pragma once

#include <mpi.h>

#include <nlohmann/json.hpp>
#include <string>

namespace weir::bench {

// Processors, memory, kernel, hosts, libraries, the file system of `directory`, and the environment that chooses the
// MPI-IO layer and Weir's keys, as rank 0 sees them. Collective (hosts are counted over all ranks).
nlohmann::ordered_json describe_machine(const std::string& directory, MPI_Comm comm);

}  // namespace weir::bench
