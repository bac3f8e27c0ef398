// SPDX-License-Identifier: Apache-2.0
// How a Zarr folder stores a variable: a folder of its own with zarr.json and a file for each shard. Values that come
// in small records (a time, a scalar) would make a file each; rank 0 keeps them, many records in one file that is
// rewritten at a commit. The same holds for arrays of an existing folder whose files hold several records, or have
// another form than writers pack (append_form.hpp). Pure, Local.
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

struct ZarrArray {
  Shape shape;         // without the record dimension; of a scalar empty
  Shape chunk, shard;  // a file is a shard
  bool record = false;
  bool kept = false;               // by rank 0
  std::int64_t records = 1;        // of a file; more than one only where it is kept
  std::int64_t chunk_records = 1;  // the same of a chunk
  std::int64_t length = 0;         // records that were committed
  ChunkKeys keys;
  bool indexed = true;  // a shard has an index behind its chunks; else it is one chunk, and nothing more
  bool little_endian = std::endian::native == std::endian::little;
  ExternalValue fill = {};         // of what no rank puts
  std::vector<FilterStep> codecs;  // of a chunk, after its bytes
  std::string obstacle = {};       // why it cannot be written; empty where it can

  // Of an array in files of the grid of shards.
  ChunkGrid shards() const { return {shape, shard}; }
  // What a file, and what a chunk holds along all dimensions, the record dimension included; {1} of a scalar.
  Shape file_lengths() const { return whole(shard, records); }
  Shape chunk_lengths() const { return whole(chunk, chunk_records); }

 private:
  Shape whole(Shape lengths, std::int64_t of_records) const {
    if (record) lengths.insert(lengths.begin(), of_records);
    return lengths.empty() ? Shape{1} : lengths;
  }
};

// Throws Error(WEIR_EARGUMENT) on a name that Zarr, its readers or the file system have for something else; `kind`: of
// what it is the name, "variable" or "group".
void check_zarr_name(const char* kind, const std::string& name);

// `rule`: its element_bytes does not matter. Throws Error(WEIR_EARGUMENT) on what Zarr does not take.
ZarrArray zarr_array(const Schema& schema, int var, ShardRule rule);

// The file in which the record's elements from `first_index` on are: "c.12.0.3".
std::string file_name(const ZarrArray& array, std::int64_t record, IndexView first_index);

// What is written next to a file of a folder until a commit: ".zarr.json.weir" for "zarr.json", "c/1/.0.weir" for
// "c/1/0".
std::string pending_name(const std::string& name);

// How a Zarr folder stores the variables that a run defines. Pure, Local, alike on all ranks.

// Of the variables from this number on; those before it stay empty. Throws Error(WEIR_EARGUMENT) on what Zarr, or this
// build, does not take.
std::vector<ZarrArray> new_arrays(const OutputOptions& options, const Schema& schema, int first);

}  // namespace weir
