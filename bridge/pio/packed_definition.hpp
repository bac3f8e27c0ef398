// SPDX-License-Identifier: Apache-2.0
// Reads the definitions of a netCDF-4 file that Weir makes, from PIO.
#pragma once

#include <map>
#include <vector>

#include "schema/schema.hpp"

namespace weir::bridge {

// What the program has said of how a variable is kept.
struct StorageOptions {
  Storage storage;       // chunk: empty where it said nothing of it
  bool foreign = false;  // by a filter, or in an order of bytes, that Weir does not write
};

// All definitions, by PIO's number of a file. Throws Error where Weir cannot have such a file, the same on all ranks.
// Collective.
Schema packed_schema_of(int number, const std::map<int, StorageOptions>& storage_options, bool classic_model);

}  // namespace weir::bridge
