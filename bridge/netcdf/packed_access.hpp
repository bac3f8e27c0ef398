// SPDX-License-Identifier: Apache-2.0
// Checks a data call on a netCDF-4 file that Weir makes as netCDF's own netCDF-4 layer does. Pure, Local.
#pragma once

#include <cstdint>
#include <optional>

#include "core/prepared.hpp"
#include "netcdf/intercepted_calls.hpp"

namespace weir::bridge {

// A variable of the definition shadow, as far as puts go.
struct PackedVariable {
  Type type = WEIR_BYTE;
  bool record = false;
  Shape shape;  // of a record variable, shape[0] stands for nothing
};

struct PackedAccess {
  int var = 0;
  intercepted::Form form = intercepted::Form::var;
  intercepted::Region region;
  intercepted::nc_type memory = intercepted::own_type;
};

// `records`: that the file has now. netCDF's code where the call is wrong, and nothing is prepared then. Values are not
// looked at, but packed where they lie apart.
int prepare(const PackedAccess& access, const PackedVariable& variable, std::int64_t records, const void* values,
            Prepared& put);

}  // namespace weir::bridge
