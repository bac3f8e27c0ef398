// SPDX-License-Identifier: Apache-2.0
// A data call of a netCDF-4 file that Weir makes, judged as netCDF's own layer for netCDF-4 judges it. Pure, Local.
#pragma once

#include <cstdint>
#include <optional>

#include "core/prepared.hpp"
#include "netcdf/taken.hpp"

namespace weir::bridge {

// A variable of the stand-in, as far as puts go.
struct PackedVariable {
  Type type = WEIR_BYTE;
  bool record = false;
  Shape shape;  // of a record variable, shape[0] stands for nothing
};

struct PackedAccess {
  int var = 0;
  taken::Form form = taken::Form::var;
  taken::Region region;
  taken::nc_type memory = taken::own_type;
};

// `records`: that the file has now. netCDF's code where the call is wrong, and nothing is prepared then. Values are not
// looked at, but packed where they lie apart.
int prepare(const PackedAccess& access, const PackedVariable& variable, std::int64_t records, const void* values,
            Prepared& put);

}  // namespace weir::bridge
