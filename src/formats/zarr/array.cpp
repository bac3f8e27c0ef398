// SPDX-License-Identifier: Apache-2.0
#include "formats/zarr/array.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "formats/chunked/blosc.hpp"
#include "formats/chunked/packed_file.hpp"
#include "formats/chunked/packer.hpp"
#include "formats/zarr/documents.hpp"
#include "plan/chunk_grid.hpp"
#include "schema/file_offsets.hpp"

namespace weir {

namespace {

constexpr std::int64_t kept_chunk_bytes = 64 << 10;  // of records that are kept in one file
constexpr std::size_t most_name_bytes = 255;         // of a folder

}  // namespace

void check_zarr_name(const char* kind, const std::string& name) {
  const std::string whose = formatted("the {} name \"{}\"", kind, name);
  require(name != "zarr.json" && !name.ends_with("/zarr.json"), WEIR_EARGUMENT,
          "{} is the name of Zarr's own file; choose another", whose);
  require(!name.starts_with("__") && name.find("/__") == name.npos, WEIR_EARGUMENT,
          "{} begins with \"__\", which Zarr reserves; choose another name", whose);
  require(name.find('\\') == name.npos, WEIR_EARGUMENT,
          "{} has a backslash, which readers of Zarr take for the '/' of a group; give one without", whose);
  require(name.size() <= most_name_bytes, WEIR_EARGUMENT, "{} is too long for a folder; give a shorter one", whose);
}

namespace {

// Shuffle has no codec of its own: it comes with blosc, whose compressor is then the one that was asked for.
std::vector<FilterStep> codecs_of(const Storage& storage, int element_bytes) {
  std::vector<FilterStep> codecs;
  bool shuffle = storage.shuffle && element_bytes > 1;
  const auto add = [&](unsigned filter, unsigned codec, int level) {
    const auto number = static_cast<unsigned>(level);
    if (shuffle)
      codecs.push_back({blosc_codec, {filter, number, static_cast<unsigned>(element_bytes)}});
    else
      codecs.push_back({codec, {number}});
    shuffle = false;
  };
  if (storage.deflate_level) add(deflate_filter, gzip_codec, *storage.deflate_level);
  if (storage.zstd_level) add(zstd_filter, zstd_codec, *storage.zstd_level);
  if (storage.fletcher32) codecs.push_back({crc32c_codec, {}});
  return codecs;
}

void check_chunk(const ZarrArray& array, const Variable& variable) {
  const bool blosc = !array.codecs.empty() && array.codecs[0].id == blosc_codec;
  const std::int64_t bytes = elements(array.chunk_lengths()) * type_bytes(variable.type);
  require(!blosc || bytes <= most_blosc_bytes, WEIR_EARGUMENT,
          "a chunk of variable \"{}\" has {} bytes, and with shuffle Zarr takes less than 2 GiB; make it smaller, or "
          "leave shuffle out",
          variable.name, bytes);
}

}  // namespace

ZarrArray zarr_array(const Schema& schema, int var, ShardRule rule) {
  const Variable& variable = schema.variable(var);
  check_zarr_name("variable", variable.name);
  ZarrArray array;
  array.shape = schema.shape(var);
  array.record = schema.is_record(var);
  const int size = type_bytes(variable.type);
  const std::int64_t bytes = variable_bytes(schema, var);
  array.kept = is_kept({variable.dims.empty(), array.record, variable.storage.any(), bytes});
  array.fill = schema.fill_value(var);
  if (array.kept) {
    array.chunk = array.shard = array.shape;
    if (array.record) array.records = array.chunk_records = std::max<std::int64_t>(1, kept_chunk_bytes / bytes);
    array.indexed = false;
    array.codecs = {{crc32c_codec, {}}};
    return array;
  }
  array.codecs = codecs_of(variable.storage, size);
  array.chunk = schema.chunk(var);
  if (array.record) {
    array.records = array.chunk_records = array.chunk.front();
    array.chunk.erase(array.chunk.begin());
  }
  check_chunk(array, variable);
  array.kept = shares_small_chunks(schema, var);
  rule.element_bytes = size * array.records;
  array.shard = shard_shape(array.shape, array.chunk, rule);
  return array;
}

std::string file_name(const ZarrArray& array, std::int64_t record, IndexView first_index) {
  Shape place;
  if (array.record) place.push_back(record / array.records);
  for (std::size_t d = 0; d < array.shape.size(); ++d) place.push_back(first_index[d] / array.shard[d]);
  return chunk_key(array.keys, place);
}

std::string pending_name(const std::string& name) {
  const std::size_t last = name.rfind('/') + 1;  // 0 where there is none
  return name.substr(0, last) + "." + name.substr(last) + ".weir";
}

std::vector<ZarrArray> new_arrays(const OutputOptions& options, const Schema& schema, int first) {
  static_cast<void>(groups_of(schema));  // throws what would be two things in one folder
  std::vector<ZarrArray> arrays(static_cast<std::size_t>(first));
  for (int var = first; var < static_cast<int>(schema.variables().size()); ++var) {
    const bool compressed = schema.variable(var).storage.squeezed();
    const std::int64_t writers = std::ssize(compressed ? options.compressing_writers : options.writers);
    arrays.push_back(zarr_array(schema, var, shard_rule(*options.config, writers)));
    const std::string missing = missing_filter(arrays.back().codecs);
    require(missing.empty(), WEIR_EARGUMENT, "\"{}\" cannot be written: {}", options.path, missing);
  }
  return arrays;
}

}  // namespace weir
