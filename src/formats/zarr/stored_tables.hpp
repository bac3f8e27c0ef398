// SPDX-License-Identifier: Apache-2.0
// What a Zarr folder that is there holds: its arrays, and their attributes as netCDF's.
#pragma once

#include <string>

#include "formats/stored_array.hpp"
#include "formats/zarr/stored_array.hpp"
#include "schema/schema.hpp"
#include "storage/identity.hpp"

namespace weir {

// Attributes of a Zarr array or group as netCDF's. JSON does not tell a number's type, so it is the one that Weir has
// noted, or for what the CF conventions want in the variable's type that, or else int, int64, uint64 or double, the
// first that holds it. What netCDF's classic data model has no place for is left out: objects, truth values, lists of
// texts.

// types: noted ones, by attribute; null without. prefix: of a group, "ice/". Throws as Schema does. Local.
void add_attributes(Schema& schema, int var, const Json& attributes, const Json& types, const std::string& prefix = "");

// The contents of an existing Zarr folder's metadata: its arrays, from the group's consolidated metadata, or, without
// these, from each array's own zarr.json. Dimensions are those that arrays name. Which one has records Weir notes in a
// folder that it writes; of others it is the one that the CF conventions know as time, where it is the first wherever
// it occurs.

// Scalars are read, and strings, where they are wanted as text. Throws Error: WEIR_EFORMAT, WEIR_EIO. Local.
StoredTables read_zarr(const std::string& path, const FileIdentity& identity, StringVariables strings);

}  // namespace weir
