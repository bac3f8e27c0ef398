// SPDX-License-Identifier: Apache-2.0
// A new dimension that has the name of a variable that is there. In HDF5 both would be datasets of that name: netCDF-C
// gives the variable another one where it makes both at once, and fails where the variable is there first (4.9.0;
// netcdf-c#2477).
#pragma once

#include <string>

#include "schema/schema.hpp"

namespace weir {

// Gives the variables of `file` that have the name of a dimension that `after` has and `before` has not the names that
// netCDF-C gives them; in sentences the file is `path`. Throws Error(WEIR_EFORMAT). Local.
void rename_for_new_dimensions(const std::string& file, const std::string& path, const Schema& before,
                               const Schema& after);

}  // namespace weir
