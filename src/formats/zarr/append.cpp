// SPDX-License-Identifier: Apache-2.0
#include "formats/zarr/append.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "formats/chunked/deferred_values.hpp"
#include "formats/chunked/packer.hpp"
#include "plan/chunk_grid.hpp"
#include "schema/file_offsets.hpp"

namespace weir {

namespace {

constexpr std::int64_t most_kept_file_bytes = 16 << 20;  // rank 0 has whole files in memory

bool native(bool little_endian, int element_bytes) {
  return element_bytes == 1 || little_endian == (std::endian::native == std::endian::little);
}

bool is_written_by_writers(const ZarrArray& array, int element_bytes) {
  return (array.record || !array.shape.empty()) && native(array.little_endian, element_bytes) &&
         std::equal(array.chunk.begin(), array.chunk.end(), array.shape.begin(),
                    [](std::int64_t chunk, std::int64_t length) { return chunk <= length; });
}

// Of what rank 0 would keep.
std::string too_large(const Schema& schema, int var, const ZarrArray& array) {
  const int size = type_bytes(schema.variable(var).type);
  const std::string advice = "; copy the folder (weir convert), and append to the copy";
  if (variable_bytes(schema, var) > most_noted_bytes)
    return formatted("it is not packed as by Weir, and a record is larger than 1 MiB{}", advice);
  if (elements(array.file_lengths()) > most_kept_file_bytes / size)
    return formatted("it is not packed as by Weir, and its files are larger than 16 MiB{}", advice);
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
  const std::int64_t bytes = variable_bytes(schema, var);
  const bool small = array.indexed ? is_a_few_bytes(bytes) : is_small_record(bytes);
  const bool shares = array.records > 1 || array.shape.empty();
  // Rank 0 quantizes nothing.
  array.kept = (shares && small && !schema.variable(var).storage.quantization) ||
               !is_written_by_writers(array, type_bytes(schema.variable(var).type));
  if (array.kept) array.obstacle = too_large(schema, var, array);
  return array;
}

}  // namespace

std::vector<ZarrArray> arrays_to_append(const StoredTables& tables, const Schema& schema) {
  std::vector<ZarrArray> arrays;
  for (int var = 0; var < static_cast<int>(tables.arrays.size()); ++var)
    arrays.push_back(array_of(schema, var, tables.arrays[static_cast<std::size_t>(var)]));
  return arrays;
}

std::vector<ZarrArray> arrays_to_go_back(const std::string& path, const StoredTables& tables, const Schema& schema,
                                         std::int64_t records) {
  std::vector<ZarrArray> arrays = arrays_to_append(tables, schema);
  for (int var = 0; var < static_cast<int>(arrays.size()); ++var) {
    ZarrArray& array = arrays[static_cast<std::size_t>(var)];
    if (!array.record) continue;
    const bool loses = array.length > records;
    array.length = std::min(array.length, records);
    const std::int64_t of_file = tables.arrays[static_cast<std::size_t>(var)].files->part.front();
    if (loses && records % of_file != 0 && !array.obstacle.empty())
      throw Error(WEIR_EFORMAT,
                  "\"{}\" cannot go back to {} records: \"{}\" has {} records in a file, in a form that Weir does not "
                  "write; go back to a multiple of {}, or copy the folder (weir convert), and append to the copy",
                  path, records, tables.schema.variable(var).name, of_file, of_file);
  }
  return arrays;
}

KeptPart::KeptPart(const ZarrArray& array, int element_bytes)
    : array_(array),
      element_bytes_(element_bytes),
      grid_(array.file_lengths(), array.chunk_lengths()),
      elements_(static_cast<std::size_t>(weir::elements(array.file_lengths()) * element_bytes)) {
  fill(elements_);
}

void KeptPart::fill(std::span<std::byte> elements) const {
  for (std::size_t at = 0; at < elements.size(); at += static_cast<std::size_t>(element_bytes_))
    std::copy_n(array_.fill.begin(), element_bytes_, elements.begin() + static_cast<std::ptrdiff_t>(at));
}

void KeptPart::read(const std::string& path, std::int64_t records, Unpacker& unpacker) {
  if (::access(path.c_str(), F_OK) != 0) return;
  const Descriptor file = open_to_read(path);
  std::vector<std::uint64_t> places = {0, static_cast<std::uint64_t>(file.bytes())};
  if (array_.indexed) {
    ShardIndex index = read_index(file, {}, grid_.chunks());
    require(index.problem.empty(), WEIR_EIO, "{}; restore it", index.problem);
    places = std::move(index.words);
  }
  grid_.visit(0, weir::elements(grid_.shape()), [&](const Chunk& chunk) {
    const auto place = std::span<const std::uint64_t>(places).subspan(2 * static_cast<std::size_t>(chunk.number), 2);
    if (place[0] != ShardIndex::no_chunk) read_chunk(file, chunk, place, unpacker);
  });
  if (!array_.record || records >= array_.records) return;
  const std::int64_t bytes = std::ssize(elements_) / array_.records;
  fill(std::span(elements_).subspan(static_cast<std::size_t>(std::max<std::int64_t>(0, records) * bytes)));
}

void KeptPart::read_chunk(const Descriptor& file, const Chunk& chunk, std::span<const std::uint64_t> place,
                          Unpacker& unpacker) {
  std::vector<std::byte> packed(place[1]);
  file.read(packed.data(), std::ssize(packed), static_cast<std::int64_t>(place[0]));
  StoredArray form;
  form.filters = array_.codecs;
  form.little_endian = array_.little_endian;
  std::vector<std::byte> values(static_cast<std::size_t>(grid_.chunk_elements() * element_bytes_));
  const std::string problem = unpacker.unpack(packed, form, 0, element_bytes_, values);
  if (!problem.empty())
    throw Error(WEIR_EFORMAT, "\"{}\" is damaged: a chunk of it {}; restore it", file.path(), problem);
  spread(chunk, values);
}

// Row by row to where they lie among the file's elements. A file holds whole chunks.
void KeptPart::spread(const Chunk& chunk, std::span<const std::byte> values) {
  const std::vector<std::int64_t> in_file = strides(grid_.shape());
  const std::size_t last = grid_.shape().size() - 1;
  const std::int64_t row = grid_.chunk()[last] * element_bytes_;
  Shape index = chunk.lo;
  for (std::int64_t at = 0; at < std::ssize(values); at += row) {
    std::copy_n(values.begin() + at, row, elements_.begin() + offset(index, in_file) * element_bytes_);
    for (std::size_t d = last; d-- > 0;) {
      if (++index[d] < chunk.hi[d]) break;
      index[d] = chunk.lo[d];
    }
  }
}

std::vector<std::byte> KeptPart::packed(Packer& packer) {
  PackedBatch batch;
  std::vector<std::uint64_t> index;
  const Packer::Source source{
      elements_.data(), 0, element_bytes_, array_.fill, array_.codecs, array_.little_endian && element_bytes_ > 1};
  grid_.visit(0, weir::elements(grid_.shape()), [&](const Chunk& chunk) {
    const std::int64_t begin = batch.bytes();
    require(packer.pack(grid_, chunk, source, batch) == 0, WEIR_EMEMORY,
            "a chunk could not be compressed: no memory is left");
    index.push_back(static_cast<std::uint64_t>(begin));
    index.push_back(static_cast<std::uint64_t>(batch.bytes() - begin));
  });
  std::vector<std::byte> bytes;
  for (const Extent& extent : batch.extents(0)) bytes.insert(bytes.end(), extent.data, extent.data + extent.bytes);
  if (!array_.indexed) return bytes;
  const std::vector<std::byte> end = pack_index(index);
  bytes.insert(bytes.end(), end.begin(), end.end());
  return bytes;
}

void KeptRecords::take_boundaries() {
  for (int var = 0; var < static_cast<int>(arrays_.size()); ++var) {
    const ZarrArray& array = arrays_[static_cast<std::size_t>(var)];
    if (!array.record || !array.kept || !array.obstacle.empty() || array.length % array.records == 0) continue;
    const auto take = [&](IndexView index) {
      const std::string path = folder_ + "/" + schema_.variable(var).name + "/" + file_name(array, array.length, index);
      if (::access(path.c_str(), F_OK) == 0) part_of(var, array.length, index, all_[var]);
    };
    if (array.shape.empty())
      take(Shape{0});
    else
      array.shards().visit(0, elements(array.shape), [&](const Chunk& shard) { take(shard.lo); });
  }
}

Status KeptRecords::write(std::span<const std::byte> notes, Durability durability,
                          std::vector<ZarrFolder::Pending>& files) try {
  for (const auto& [head, values] : in_order(notes)) put(head, values, all_[static_cast<int>(head.var)]);
  Packer packer;
  for (auto& [var, parts] : all_) {
    const std::string& name = schema_.variable(var).name;
    for (auto& [file, part] : parts) {
      const std::vector<std::byte> bytes = part.packed(packer);
      if (Status status = write_pending(folder_ + "/" + name, file, bytes, durability); !status.ok()) return status;
      files.push_back({name, file});
    }
  }
  return {};
} catch (const Error& error) {
  return {error.code(), error.what()};
}

// In pieces that lie in one file, in one row of it.
void KeptRecords::put(const DeferredValues::Head& head, std::span<const std::byte> values, Files& files) {
  const int var = static_cast<int>(head.var);
  const ZarrArray& array = arrays_[static_cast<std::size_t>(var)];
  const std::int64_t size = type_bytes(schema_.variable(var).type);
  const Shape shape = array.shape.empty() ? Shape{1} : array.shape;
  const Shape part = array.shape.empty() ? Shape{1} : array.shard;
  const std::vector<std::int64_t> in_shape = strides(shape), in_part = strides(part);
  const std::size_t last = shape.size() - 1;
  Shape index(shape.size()), inside(shape.size());
  const std::int64_t end = (head.first + head.bytes) / size;
  for (std::int64_t at = head.first / size, run = 0; at < end; at += run) {
    for (std::size_t d = 0; d < shape.size(); ++d) {
      index[d] = at / in_shape[d] % shape[d];
      inside[d] = index[d] % part[d];
    }
    run = std::min({end - at, shape[last] - index[last], part[last] - inside[last]});
    const std::int64_t first = head.record % array.records * elements(part) + offset(inside, in_part);
    const auto from =
        values.subspan(static_cast<std::size_t>(at * size - head.first), static_cast<std::size_t>(run * size));
    std::copy(from.begin(), from.end(), part_of(var, head.record, index, files).elements().begin() + first * size);
  }
}

KeptPart& KeptRecords::part_of(int var, std::int64_t record, IndexView index, Files& files) {
  const ZarrArray& array = arrays_[static_cast<std::size_t>(var)];
  const std::string name = file_name(array, record, index);
  if (const auto known = files.find(name); known != files.end()) return known->second;
  KeptPart& part = files.try_emplace(name, array, type_bytes(schema_.variable(var).type)).first->second;
  part.read(folder_ + "/" + schema_.variable(var).name + "/" + name,
            array.length - record / array.records * array.records, unpacker_);
  return part;
}

}  // namespace weir
