// SPDX-License-Identifier: Apache-2.0
// The contents of an existing netCDF-4 file's metadata: its definitions as netCDF-C reads them, and the offsets of each
// variable's bytes from HDF5's tables. No data are read except those of variables that are stored in the tables
// themselves.
#pragma once

#include <string>

#include "write/stored_array.hpp"

namespace weir {

// The definitions, of all groups; without arrays but those of text that strings were made. Throws Error: WEIR_EFORMAT,
// WEIR_EMEMORY.
StoredTables definitions_by_netcdf(const std::string& path, StringVariables strings);
// The array of each other variable. Throws Error(WEIR_EFORMAT).
void find_arrays(const std::string& path, StoredTables& tables);
// Why HDF5 does not open it, in brackets; empty where it does.
std::string open_problem(const std::string& path);

}  // namespace weir
