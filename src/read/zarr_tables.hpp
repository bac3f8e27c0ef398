// SPDX-License-Identifier: Apache-2.0
// The contents of an existing Zarr folder's metadata: its arrays, from the group's consolidated metadata, or, without
// these, from each array's own zarr.json. Dimensions are those that arrays name. Which one has records Weir notes in a
// folder that it writes; of others it is the one that the CF conventions know as time, where it is the first wherever
// it occurs.
#pragma once

#include <string>

#include "write/identity.hpp"
#include "write/stored_array.hpp"

namespace weir {

// Scalars are read, and strings, where they are wanted as text. Throws Error: WEIR_EFORMAT, WEIR_EIO. Local.
StoredTables read_zarr(const std::string& path, const FileIdentity& identity, StringVariables strings);

}  // namespace weir
