// SPDX-License-Identifier: Apache-2.0
#include "formats/chunked/packed_file.hpp"

#include "schema/file_offsets.hpp"

namespace weir {

ChunkGrid chunk_grid(const Schema& schema, int var) {
  Shape chunk = schema.chunk(var);
  if (schema.is_record(var)) chunk.erase(chunk.begin());
  return {schema.shape(var), chunk};
}

Granule granule_of(const ChunkGrid& grid, std::span<const FilterStep> filters) {
  Granule granule = grid.granule();
  granule.packed = squeezes(filters);
  return granule;
}

Geometry places_of_neighbours(const Schema& schema, int format) {
  const FileOffsets places = place_variables(schema, 5);
  Geometry geometry;
  geometry.format = format;
  geometry.begin = places.begin;
  geometry.record_bytes = places.record_bytes;
  geometry.fixed_end = geometry.record_begin = places.fixed_end;
  return geometry;
}

}  // namespace weir
