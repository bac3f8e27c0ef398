// SPDX-License-Identifier: Apache-2.0
// The lengths of variables along unlimited dimensions other than the record dimension. netCDF-C makes a variable longer
// when it writes into it, and it never sees Weir's data.
#pragma once

#include <string>

#include "schema/schema.hpp"

namespace weir {

// Gives the variables of `file`, which has the definitions `schema`, the lengths that these dimensions have there; in
// sentences it is `path`. Throws Error(WEIR_EFORMAT). Local.
void fit_growing_dimensions(const std::string& file, const std::string& path, const Schema& schema);

}  // namespace weir
