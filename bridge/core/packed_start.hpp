// SPDX-License-Identifier: Apache-2.0
// Decides whether a bridge may let Weir make a netCDF-4 file on its own initiative.
#pragma once

#include <string>

#include "core/rank_group.hpp"
#include "mpi/comm.hpp"

namespace weir::bridge {

// Why Weir cannot make netCDF-4 in this program, in words; "" where it can. Looked at once. Local.
const std::string& why_no_netcdf4();

// After ranks have agreed that one of them cannot: says which, and what to do, once, and that such files are left to
// `library`. Where Weir was built without netCDF-4 no rank expects it, and the report alone has it. Collective.
void tell_why_no_netcdf4(RankGroup& group, const std::string& library);

// What netCDF says of a file that cannot be created: NC_EEXIST, EACCES; 0 where it can be. `keeps`: NC_NOCLOBBER. The
// group's rank 0 looks. Throws Error where ranks do not come. Collective.
int code_of_creation(const std::string& path, bool keeps, const RankGroup& group);

}  // namespace weir::bridge
