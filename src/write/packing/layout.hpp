// SPDX-License-Identifier: Apache-2.0
// The common preparation of the formats that pack chunks, before anything is written. Pure, Local.
#pragma once

#include "plan/chunk_grid.hpp"
#include "write/definition.hpp"
#include "write/packing/filter.hpp"

namespace weir {

// The chunks of a variable, or of a record of it.
ChunkGrid chunk_grid(const Schema& schema, int var);

// Where tiles of a variable in these chunks may be cut.
Granule granule_of(const ChunkGrid& grid, std::span<const FilterStep> filters);

// Of a file without fixed places: variables that would be neighbours in a classic file have one writer, and these
// places say which are.
Geometry places_of_neighbours(const Schema& schema, int format);

}  // namespace weir
