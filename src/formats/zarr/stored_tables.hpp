// SPDX-License-Identifier: Apache-2.0
// The description of an existing Zarr folder: its arrays, and their attributes as netCDF's. file/opening.cpp calls
// read_zarr() on rank 0. Local.
#pragma once

#include <string>

#include "formats/stored_array.hpp"
#include "formats/zarr/stored_array.hpp"
#include "schema/schema.hpp"
#include "storage/identity.hpp"

namespace weir {

// Adds the attributes of a Zarr array or group as netCDF's. JSON does not give a number's type: it is the one that Weir
// has noted; else the variable's, for what the CF conventions want in the variable's type; else int, int64, uint64 or
// double, the first that holds the number. Objects, truth values and lists of texts are left out, since netCDF's
// classic data model has none. `types`: noted types, by attribute, or null. `prefix`: of a group, "ice/".
// Errors: as Schema.
void add_attributes(Schema& schema, int var, const Json& attributes, const Json& types, const std::string& prefix = "");

// Reads the description: arrays from the group's consolidated metadata, or, without these, from each array's zarr.json.
// Dimensions are those that arrays name. Weir notes in its own folders which dimension has records; in others it is the
// one that the CF conventions know as time, if it is the first wherever it occurs. `strings`: whether strings are read
// as text.
// Errors: WEIR_EFORMAT, WEIR_EIO.
StoredTables read_zarr(const std::string& path, const FileIdentity& identity, StringVariables strings);

}  // namespace weir
