// SPDX-License-Identifier: Apache-2.0
// Reads the definitions of the shadow of a netCDF-4 file that Weir makes, from netCDF. Local.
#pragma once

#include <set>

#include "formats/definition.hpp"
#include "netcdf/packed_access.hpp"

namespace weir::bridge {

// What the program has said of its variables beyond what netCDF's inquiries tell apart.
struct PackedOptions {
  std::set<int> chunked;    // it gave the chunk by itself
  std::set<int> quantized;  // netCDF has quantize, and was asked for it
  bool classic_model = false;
  bool scales_unattached = false;  // NC_NODIMSCALE_ATTACH
};

// All definitions, which have ended there. Throws Error where Weir cannot have such a file.
DefinedFile packed_definition_of(int ncid, const PackedOptions& options);
// netCDF's code where there is no such variable.
int find_packed_variable(int ncid, int var, PackedVariable& variable);
// The chunk that Weir gives a variable of which nothing is said, the record dimension included; empty of a scalar.
std::vector<std::size_t> default_chunk_of(const PackedVariable& variable);

}  // namespace weir::bridge
