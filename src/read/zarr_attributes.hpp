// SPDX-License-Identifier: Apache-2.0
// Attributes of a Zarr array or group as netCDF's. JSON does not tell a number's type, so it is the one that Weir has
// noted, or for what the CF conventions want in the variable's type that, or else int, int64, uint64 or double, the
// first that holds it. What netCDF's classic data model has no place for is left out: objects, truth values, lists of
// texts.
#pragma once

#include "read/zarr_values.hpp"
#include "schema/schema.hpp"

namespace weir {

// types: noted ones, by attribute; null without. prefix: of a group, "ice/". Throws as Schema does. Local.
void add_attributes(Schema& schema, int var, const Json& attributes, const Json& types, const std::string& prefix = "");

}  // namespace weir
