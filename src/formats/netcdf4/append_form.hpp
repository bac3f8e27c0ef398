// SPDX-License-Identifier: Apache-2.0
// How Weir writes the variables of an existing netCDF-4 file, of any origin. Where a chunk holds one record in the form
// that Weir packs, writers pack and place chunks as in a new file. What is in another form (several records in a chunk,
// an array in one piece, big-endian elements) and small is kept for rank 0, by whose HDF5 it is written at a commit.
// What is large then cannot be put. Pure, Local.
#pragma once

#include <vector>

#include "formats/chunked/filter.hpp"
#include "formats/stored_array.hpp"

namespace weir {

// A variable each.
std::vector<StoredVariable> append_forms(const StoredTables& tables);
// Chunks and quantization of the variables whose chunks writers pack are those of the file.
void take_storage(const StoredTables& tables, Schema& schema);

}  // namespace weir
