// SPDX-License-Identifier: Apache-2.0
// How a variable is kept in a Zarr folder: a folder of its own with zarr.json and a file for each shard. Values that
// come in small records (a time, a scalar) would make a file of each; they are kept by rank 0, many records in one file
// that is written anew at a commit. Pure, Local.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/chunk_grid.hpp"
#include "plan/shards.hpp"
#include "schema/schema.hpp"
#include "write/packing/filter.hpp"

namespace weir {

struct ZarrArray {
  Shape shape;  // without the record dimension; of a scalar empty
  Shape chunk, shard;
  bool record = false;
  bool kept = false;               // by rank 0; a chunk is then a file, of `records` records and without compression
  std::int64_t records = 1;        // of a chunk
  std::vector<FilterStep> codecs;  // of a chunk, after its bytes

  // Of an array in files of the grid of shards.
  ChunkGrid shards() const { return {shape, shard}; }
};

// `rule`: its element_bytes does not matter. Throws Error(WEIR_EARGUMENT) on what Zarr does not take.
ZarrArray zarr_array(const Schema& schema, int var, ShardRule rule);

// The file of a shard, by its place in the grid of shards; the record first, where the array has records: "c.12.0.3".
std::string shard_name(const ZarrArray& array, std::int64_t record, const Shape& first_index);
// The file of a chunk that rank 0 keeps, and where in it a record is.
std::string kept_name(const ZarrArray& array, std::int64_t record);

// What is written beside a file of a folder until a commit: ".zarr.json.weir" for "zarr.json".
std::string pending_name(const std::string& name);

}  // namespace weir
