// SPDX-License-Identifier: Apache-2.0
// Checks a finished file against its workload: dimensions, variables, attributes, and every element of every record.
#pragma once

#include <mpi.h>

#include <string>

#include "workload.hpp"

namespace weir::bench {

// True, on all ranks, where the file is right; else `why` says what is wrong with it first. Each rank opens the file
// itself and checks a part: classic files through PnetCDF, HDF5 through netCDF-C. Collective; does not throw.
bool verify_file(const Workload& work, const std::string& path, MPI_Comm comm, std::string& why);

}  // namespace weir::bench
