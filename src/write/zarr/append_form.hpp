// SPDX-License-Identifier: Apache-2.0
// How Weir writes the variables of an existing Zarr folder, of any origin. Where a file holds one record, or a fixed
// variable, in chunks that Weir packs, writers write it as in a new folder. What is in another form (several records in
// a file, chunks longer than the array, big-endian elements) and small is kept by rank 0 (kept_records.hpp). What is
// large then cannot be put. Pure, Local.
#pragma once

#include <vector>

#include "write/stored_array.hpp"
#include "write/zarr/array.hpp"

namespace weir {

// A variable each.
std::vector<ZarrArray> arrays_to_append(const StoredTables& tables);

}  // namespace weir
