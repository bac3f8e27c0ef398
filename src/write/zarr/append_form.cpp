// SPDX-License-Identifier: Apache-2.0
#include "write/zarr/append_form.hpp"

#include <algorithm>

#include "schema/file_offsets.hpp"
#include "write/packing/deferred_values.hpp"
#include "write/packing/packer.hpp"

namespace weir {

namespace {

constexpr std::int64_t most_kept_file_bytes = 16 << 20;  // rank 0 has whole files in memory

bool native(bool little_endian, int element_bytes) {
  return element_bytes == 1 || little_endian == (std::endian::native == std::endian::little);
}

bool is_written_by_writers(const ZarrArray& array, int element_bytes) {
  return !array.shape.empty() && array.records == 1 && array.chunk_records == 1 &&
         native(array.little_endian, element_bytes) &&
         std::equal(array.chunk.begin(), array.chunk.end(), array.shape.begin(),
                    [](std::int64_t chunk, std::int64_t length) { return chunk <= length; });
}

// Of what rank 0 would keep.
std::string too_large(const Schema& schema, int var, const ZarrArray& array) {
  const int size = type_bytes(schema.variable(var).type);
  const std::string advice = "; copy the folder (weir convert), and append to the copy";
  if (variable_bytes(schema, var) > most_noted_bytes)
    return "its files do not hold one record each, packed as by Weir, and a record is larger than 1 MiB" + advice;
  if (elements(array.file_lengths()) > most_kept_file_bytes / size)
    return "its files do not hold one record each, packed as by Weir, and are larger than 16 MiB" + advice;
  return {};
}

std::string obstacle_of(const StoredArray& stored) {
  if (!stored.obstacle.empty()) return stored.obstacle;
  if (std::string missing = missing_filter(stored.filters); !missing.empty()) return missing;
  const ShardIndexForm ours;
  const auto& index = stored.files->index;
  if (index && (index->at_end != ours.at_end || index->little_endian != ours.little_endian || !index->summed))
    return "the index of its shards has a form that Weir reads and does not write; copy the folder (weir convert), and "
           "append to the copy";
  return {};
}

// Lengths without the record dimension, whose own goes to `records`.
Shape split(const Shape& lengths, bool record, std::int64_t& records) {
  if (!record) return lengths;
  records = lengths.front();
  return {lengths.begin() + 1, lengths.end()};
}

ZarrArray array_of(const Schema& schema, int var, const StoredArray& stored) {
  ZarrArray array;
  array.shape = schema.shape(var);
  array.record = schema.is_record(var);
  array.obstacle = obstacle_of(stored);
  if (array.record) array.length = stored.lengths.front();
  array.chunk = array.shard = array.shape;
  if (!array.obstacle.empty()) return array;
  array.chunk = split(stored.chunk, array.record, array.chunk_records);
  array.shard = split(stored.files->part, array.record, array.records);
  array.keys = stored.files->keys;
  array.indexed = stored.files->index.has_value();
  array.little_endian = stored.little_endian;
  array.fill = stored.fill;
  array.codecs = stored.filters;
  array.kept = !is_written_by_writers(array, type_bytes(schema.variable(var).type));
  if (array.kept) array.obstacle = too_large(schema, var, array);
  return array;
}

}  // namespace

std::vector<ZarrArray> arrays_to_append(const StoredTables& tables) {
  std::vector<ZarrArray> arrays;
  for (int var = 0; var < static_cast<int>(tables.arrays.size()); ++var)
    arrays.push_back(array_of(tables.schema, var, tables.arrays[static_cast<std::size_t>(var)]));
  return arrays;
}

}  // namespace weir
