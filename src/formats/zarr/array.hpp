// SPDX-License-Identifier: Apache-2.0
// How a Zarr folder stores a variable: a folder with zarr.json and a file for each shard. Small records (a time, a
// scalar) would make a file each, so rank 0 keeps them, many records in one file, which a commit rewrites; likewise
// arrays of an existing folder in another form than writers pack (zarr/append.hpp). Pure, Local.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/chunked/filter.hpp"
#include "formats/output_file.hpp"
#include "formats/zarr/shard_files.hpp"
#include "plan/chunk_grid.hpp"
#include "schema/schema.hpp"

namespace weir {

// How one variable is stored.
struct ZarrArray {
  Shape shape;         // without the record dimension; empty for a scalar
  Shape chunk, shard;  // a file is a shard
  bool record = false;
  bool kept = false;               // by rank 0
  std::int64_t records = 1;        // of a file
  std::int64_t chunk_records = 1;  // of a chunk
  std::int64_t length = 0;         // committed records
  ChunkKeys keys;
  bool indexed = true;  // a shard has an index after its chunks; else it is one chunk
  bool little_endian = std::endian::native == std::endian::little;
  ExternalValue fill = {};         // of what no rank puts
  std::vector<FilterStep> codecs;  // of a chunk, after its bytes codec
  std::string obstacle = {};       // why it cannot be written; "" if it can

  // The grid of shards of an array in files.
  ChunkGrid shards() const { return {shape, shard}; }
  // Lengths of a file, and of a chunk, along all dimensions, with the record dimension; {1} for a scalar.
  Shape file_lengths() const { return whole(shard, records); }
  Shape chunk_lengths() const { return whole(chunk, chunk_records); }

 private:
  Shape whole(Shape lengths, std::int64_t of_records) const {
    if (record) lengths.insert(lengths.begin(), of_records);
    return lengths.empty() ? Shape{1} : lengths;
  }
};

// Throws Error(WEIR_EARGUMENT) for a name that Zarr, its readers or the file system reserve. `kind`: "variable" or
// "group".
void check_zarr_name(const char* kind, const std::string& name);

// Returns how a variable is stored. The element_bytes of `rule` do not matter.
// Errors: WEIR_EARGUMENT for what Zarr does not allow.
ZarrArray zarr_array(const Schema& schema, int var, ShardRule rule);

// Returns the file of the record's elements from `first_index` on: "c.12.0.3".
std::string file_name(const ZarrArray& array, std::int64_t record, IndexView first_index);

// Returns the name of a file until the commit: ".zarr.json.weir" for "zarr.json", "c/1/.0.weir" for "c/1/0".
std::string pending_name(const std::string& name);

// Returns how the variables from number `first` on are stored, which a run defines; those before stay empty. The same
// on all ranks.
// Errors: WEIR_EARGUMENT for what Zarr, or this build, does not allow.
std::vector<ZarrArray> new_arrays(const OutputOptions& options, const Schema& schema, int first);

}  // namespace weir
