// SPDX-License-Identifier: Apache-2.0
// How a file stores a variable, in one piece or in chunks: a description that format code makes for readers. Pure data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formats/netcdf4/metadata.hpp"
#include "formats/zarr/shard_files.hpp"
#include "plan/box.hpp"
#include "schema/schema.hpp"

namespace weir {

// Bytes of a file.
struct StoredPiece {
  static constexpr std::int64_t nowhere = -1;

  std::int64_t address = nowhere;  // nowhere: no rank wrote it
  std::uint32_t bytes = 0;
  std::uint32_t skipped = 0;  // filters that it did not go through, a bit each in their order
};

struct StoredArray {
  std::string obstacle;             // why it cannot be read; empty where it can
  Shape lengths;                    // that are there, along all its dimensions; what is beyond reads as fill value
  Shape chunk;                      // along the same; empty: the array lies in one piece, without filters
  bool little_endian = false;       // its elements
  ExternalValue fill = {};          // of what no rank wrote
  std::vector<FilterStep> filters;  // of its chunks, in their order
  std::int64_t address = StoredPiece::nowhere;  // of an array in one piece
  std::vector<std::byte> contents;              // of one that lies in the file's tables, instead
  std::vector<StoredPiece> pieces;              // the chunks of `lengths`, the last dimension fastest
  std::optional<ChunkFiles> files;              // that the chunks are, or lie in, instead
};

// Variables that Weir does not take: by their names, and why.
using LeftOut = std::vector<std::pair<std::string, std::string>>;

// The description of a file.
struct StoredTables {
  Schema schema;
  std::int64_t records = 0;
  std::vector<StoredArray> arrays;  // of the schema's variables
  LeftOut left_out;
};

// Of the variables those of `like`, in its order; the numbers that they had. Throws Error(WEIR_EINTERNAL) where they
// are not the same ones.
std::vector<int> order_as(const Schema& like, StoredTables& tables);

// For broadcast.
std::vector<std::byte> serialize(const StoredTables& tables);
StoredTables deserialize_tables(std::span<const std::byte> bytes);

}  // namespace weir
