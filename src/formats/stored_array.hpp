// SPDX-License-Identifier: Apache-2.0
// How a file stores a variable, in one piece or in chunks: format code makes this description for the readers
// (formats/chunked/). Pure data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "formats/netcdf4/metadata.hpp"
#include "formats/zarr/shard_files.hpp"
#include "plan/box.hpp"
#include "schema/schema.hpp"

namespace weir {

// A chunk in the file.
struct StoredPiece {
  static constexpr std::int64_t nowhere = -1;

  std::int64_t address = nowhere;  // nowhere: no rank wrote it
  std::uint32_t bytes = 0;
  std::uint32_t skipped = 0;  // a bit for each filter, in their order, that was not applied
};

struct StoredArray {
  std::string obstacle;                         // why the array cannot be read; "" if it can
  Shape lengths;                                // along all dimensions, of what is stored; the rest reads as fill value
  Shape chunk;                                  // lengths of a chunk; empty: the array is in one piece, without filters
  bool little_endian = false;                   // byte order of its elements
  ExternalValue fill = {};                      // of what no rank wrote
  std::vector<FilterStep> filters;              // of its chunks, in their order
  std::int64_t address = StoredPiece::nowhere;  // of an array in one piece
  std::vector<std::byte> contents;              // instead, of an array inside the file's tables
  std::vector<StoredPiece> pieces;              // the chunks, the last dimension fastest
  std::optional<ChunkFiles> files;              // instead, where chunks are files or lie in shards
};
void fields(auto& archive, Either<StoredArray> auto& array) {
  archive(array.obstacle, array.lengths, array.chunk, array.little_endian, array.fill, array.filters, array.address);
  archive(array.contents, array.pieces, array.files);
}

// Variables that Weir does not support: name, and why.
using LeftOut = std::vector<std::pair<std::string, std::string>>;

// The description of a file.
struct StoredTables {
  Schema schema;
  std::int64_t records = 0;
  std::vector<StoredArray> arrays;  // of the schema's variables
  LeftOut left_out;
};
void fields(auto& archive, Either<StoredTables> auto& tables) {
  archive(tables.schema, tables.records, tables.arrays, tables.left_out);
}

// Puts the variables of `tables` into the order of `like`, and returns the numbers that they had.
// Errors: WEIR_EINTERNAL if the variables are not the same.
inline std::vector<int> order_as(const Schema& like, StoredTables& tables) {
  std::vector<int> order;
  std::vector<StoredArray> arrays;
  for (const Variable& wanted : like.variables()) {
    const int var = tables.schema.find_variable(wanted.name);
    const Variable* const there = var < 0 ? nullptr : &tables.schema.variable(var);
    require(there && there->type == wanted.type && there->dims.size() == wanted.dims.size(), WEIR_EINTERNAL,
            "the file has another variable \"{}\" than was defined", wanted.name);
    order.push_back(var);
    arrays.push_back(std::move(tables.arrays[static_cast<std::size_t>(var)]));
  }
  require(order.size() == tables.arrays.size(), WEIR_EINTERNAL, "the file has more variables than were defined");
  tables.schema.order_variables(order);
  tables.arrays = std::move(arrays);
  return order;
}

}  // namespace weir
