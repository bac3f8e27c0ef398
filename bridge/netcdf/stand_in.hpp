// SPDX-License-Identifier: Apache-2.0
// The stand-in of a netCDF-4 file that Weir makes, or that is there: a netCDF-4 file in this rank's memory, with the
// definitions and none of the data. Local.
#pragma once

#include <string>

#include "netcdf/packed_definition.hpp"

namespace weir::bridge {

// New, and to be defined; `path` is the file's. netCDF's code.
int make_stand_in(const std::string& path, bool classic_model, int* ncid);

struct CopiedStandIn {
  int ncid;
  PackedWishes wishes;
};
// With all the definitions of `file`, which netCDF has open; they have ended. Throws Error where that has what the
// stand-in of a file of Weir's cannot have: groups, types of its own, variables of strings, several unlimited
// dimensions, filters that are not installed.
CopiedStandIn copy_stand_in(const std::string& path, int file);

}  // namespace weir::bridge
