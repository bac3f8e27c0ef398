// SPDX-License-Identifier: Apache-2.0
// How Weir writes the variables of an existing netCDF-4 file. If a chunk has one record in the form that Weir packs,
// writers pack and place chunks as in a new file. A small variable in another form (several records in a chunk, one
// piece, big-endian elements) goes to rank 0, whose HDF5 writes it at a commit. A large one cannot be put.
// netcdf4/chunked_file.cpp uses it. Pure, Local.
#pragma once

#include <vector>

#include "formats/chunked/filter.hpp"
#include "formats/stored_array.hpp"

namespace weir {

// Returns how each variable is written.
std::vector<StoredVariable> append_forms(const StoredTables& tables);
// Sets chunks and quantization in the schema to the file's, for variables whose chunks writers pack.
void take_storage(const StoredTables& tables, Schema& schema);

}  // namespace weir
