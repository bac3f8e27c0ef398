// SPDX-License-Identifier: Apache-2.0
// Adds dimensions, variables and attributes to an existing file, committed and closed, without moving its data
// (weir_redef). After a kill it has its old definitions or the new ones: an undo log keeps the overwritten bytes
// (undo_log.hpp), a Zarr folder's texts are renamed. On rank 0. Local.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/config.hpp"
#include "formats/definition.hpp"
#include "formats/stored_array.hpp"
#include "formats/zarr/array.hpp"
#include "schema/schema.hpp"

namespace weir {

// `after` begins with all that `before` has, and may have other attributes there.
struct Redefinition {
  std::string path;
  Schema before, after;
  Alignment alignment;  // of a classic file in which nothing has a place yet
  Durability durability = Durability::storage;
};

// What `after` changes of what the file has and cannot change, as a sentence; nullopt where it only adds. Pure.
std::optional<std::string> redefinition_problem(const Schema& before, const Schema& after);

// Each throws Error, and leaves the file as it was: WEIR_EARGUMENT (the file cannot hold this, and what to do),
// WEIR_EIO.
void redefine_classic(const Redefinition& wanted);
// Calls netCDF-C and HDF5, whose module is loaded (netcdf4/module.hpp).
void redefine_netcdf4(const Redefinition& wanted);
// `tables`: what the folder tells of itself; `arrays`: how the variables of `after` are kept (zarr/array.hpp).
void redefine_zarr(const Redefinition& wanted, const StoredTables& tables, const std::vector<ZarrArray>& arrays);

// The header of a classic file with these definitions: what it has stays in its place. Pure; throws as above.
DefinedHeader extended_header(const std::string& path, const DefinedFile& file, const Schema& after,
                              const Alignment& alignment);

}  // namespace weir
