// SPDX-License-Identifier: Apache-2.0
// Defines a file by netCDF-C in memory, or adds to the definitions of an existing one.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "schema/schema.hpp"

namespace weir {

// The bytes of a netCDF-4 file of this schema, without data. Throws Error: WEIR_EARGUMENT where netCDF-C refuses.
std::vector<std::byte> define_by_netcdf(const std::string& path, const Schema& schema);

// Gives `file`, which has the definitions `before`, those of `after`; in sentences it is `path`. Throws the same.
void extend_by_netcdf(const std::string& file, const std::string& path, const Schema& before, const Schema& after);

// The lengths of variables along unlimited dimensions other than the record dimension. netCDF-C makes a variable longer
// when it writes into it, and it never sees Weir's data.

// Gives the variables of `file`, which has the definitions `schema`, the lengths that these dimensions have there; in
// sentences it is `path`. Throws Error(WEIR_EFORMAT). Local.
void fit_growing_dimensions(const std::string& file, const std::string& path, const Schema& schema);

}  // namespace weir
