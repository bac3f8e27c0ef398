// SPDX-License-Identifier: Apache-2.0
// What is asked before a bridge lets Weir make a netCDF-4 file of its own accord.
#pragma once

#include <string>

#include "mpi/comm.hpp"

namespace weir::bridge {

// Why Weir cannot make netCDF-4 in this program, in words; "" where it can. Looked at once. Local.
const std::string& why_no_netcdf4();

// What netCDF says of a file that cannot be created: NC_EEXIST, EACCES; 0 where it can be. `keeps`: NC_NOCLOBBER. The
// group's rank 0 looks. Collective.
int code_of_creation(const std::string& path, bool keeps, const Comm& comm);

}  // namespace weir::bridge
