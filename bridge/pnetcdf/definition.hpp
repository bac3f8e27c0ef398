// SPDX-License-Identifier: Apache-2.0
// Reads the definitions of an open file from the underlying library, not from the file. Local.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/definition.hpp"
#include "pnetcdf/access.hpp"

namespace weir::bridge {

// Of attributes only _FillValue. The library is not in define mode. Throws Error where it refuses to tell, or where
// Weir cannot have such a file.
DefinedFile definition_of(int ncid);
// With all its attributes.
DefinedFile whole_definition_of(int ncid);
// Its variables, as calls on data know them.
std::vector<Variable> variables_of(const DefinedFile& defined);

// Of everything in it but the record count and how long the header is; not negative. Files defined alike have the same.
std::int64_t signature_of(const DefinedFile& defined);

}  // namespace weir::bridge
