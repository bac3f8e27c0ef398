// SPDX-License-Identifier: Apache-2.0
// Adds dimensions, variables and attributes to a committed and closed file, without moving its data (weir_redef). After
// a kill the file has its old definitions or the new ones (contract 3): an undo log keeps overwritten bytes
// (commit/undo_log.hpp), a Zarr folder's texts are renamed. file/definitions.hpp calls it on rank 0. Local.
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

// What is to change. `after` begins with everything that `before` has, whose attributes may differ.
struct Redefinition {
  std::string path;
  Schema before, after;
  Alignment alignment;  // of a classic file in which no variable has an offset yet
  Durability durability = Durability::storage;
};

// Returns, as a sentence, what `after` changes that cannot be changed; nullopt if it only adds. Pure.
std::optional<std::string> redefinition_problem(const Schema& before, const Schema& after);

// Change a file's definitions.
// Errors: WEIR_EARGUMENT if the file cannot hold them (says what to do), WEIR_EIO; the file is as it was.
void redefine_classic(const Redefinition& wanted);
// Calls netCDF-C and HDF5.
// Requires: the module is loaded (netcdf4/module.hpp).
void redefine_netcdf4(const Redefinition& wanted);
// `tables`: the folder's; `arrays`: how the variables of `after` are stored (zarr/array.hpp).
void redefine_zarr(const Redefinition& wanted, const StoredTables& tables, const std::vector<ZarrArray>& arrays);

// Returns the header of a classic file with the definitions of `after`; existing variables keep their offsets. Pure.
// Errors as above.
DefinedHeader extended_header(const std::string& path, const DefinedFile& file, const Schema& after,
                              const Alignment& alignment);

}  // namespace weir
