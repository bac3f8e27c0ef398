// SPDX-License-Identifier: Apache-2.0
// Defines a netCDF-4 file by netCDF-C in memory, or adds to the definitions of an existing one. netcdf4/metadata.hpp
// says what it is for. Local.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "schema/schema.hpp"

namespace weir {

// Returns the bytes of a netCDF-4 file of this schema, without data.
// Errors: WEIR_EARGUMENT if netCDF-C refuses a definition.
std::vector<std::byte> define_by_netcdf(const std::string& path, const Schema& schema);

// Adds the definitions of `after` to `file`, which has those of `before`. `path` is for messages. Errors as above.
void extend_by_netcdf(const std::string& file, const std::string& path, const Schema& before, const Schema& after);

// Gives the variables of `file`, which has the definitions `schema`, the schema's lengths along unlimited dimensions
// other than the record dimension. netCDF-C would do so when it writes data, but it never sees Weir's. `path` is for
// messages.
// Errors: WEIR_EFORMAT.
void fit_growing_dimensions(const std::string& file, const std::string& path, const Schema& schema);

}  // namespace weir
