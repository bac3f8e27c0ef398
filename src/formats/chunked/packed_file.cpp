// SPDX-License-Identifier: Apache-2.0
#include "formats/chunked/packed_file.hpp"

#include <cstring>

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

namespace {

class Words {
 public:
  void add(std::int64_t word) { words_.push_back(word); }
  void add(const std::string& text) {
    add(std::ssize(text));
    for (const char c : text) add(static_cast<std::int64_t>(c));
  }
  std::vector<std::byte> bytes() const {
    const auto view = std::as_bytes(std::span(words_));
    return {view.begin(), view.end()};
  }

 private:
  std::vector<std::int64_t> words_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : words_(bytes.size() / sizeof(std::int64_t)) {
    std::memcpy(words_.data(), bytes.data(), bytes.size());
  }
  std::int64_t word() { return words_[at_++]; }
  std::string text() {
    std::string text(static_cast<std::size_t>(word()), '\0');
    for (char& c : text) c = static_cast<char>(word());
    return text;
  }

 private:
  std::vector<std::int64_t> words_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<std::byte> serialize(const ChunkedFileInfo& told) {
  Words words;
  words.add(static_cast<std::int64_t>(told.identity.device));
  words.add(static_cast<std::int64_t>(told.identity.inode));
  words.add(static_cast<std::int64_t>(told.sink));
  words.add(told.begin);
  for (const std::string* text : {&told.path, &told.written_path, &told.reason}) words.add(*text);
  words.add(std::ssize(told.variables));
  for (const StoredVariable& variable : told.variables) {
    words.add(variable.begin);
    words.add(std::int64_t{variable.kept});
    words.add(variable.obstacle);
    words.add(std::ssize(variable.filters));
    for (const FilterStep& filter : variable.filters) {
      words.add(std::int64_t{filter.id});
      words.add(std::ssize(filter.values));
      for (const unsigned value : filter.values) words.add(std::int64_t{value});
    }
  }
  return words.bytes();
}

ChunkedFileInfo deserialize_chunked(std::span<const std::byte> bytes) {
  Reader words(bytes);
  ChunkedFileInfo told;
  told.identity.device = static_cast<std::uint64_t>(words.word());
  told.identity.inode = static_cast<std::uint64_t>(words.word());
  told.sink = static_cast<SinkKind>(words.word());
  told.begin = words.word();
  for (std::string* text : {&told.path, &told.written_path, &told.reason}) *text = words.text();
  told.variables.resize(static_cast<std::size_t>(words.word()));
  for (StoredVariable& variable : told.variables) {
    variable.begin = words.word();
    variable.kept = words.word() != 0;
    variable.obstacle = words.text();
    variable.filters.resize(static_cast<std::size_t>(words.word()));
    for (FilterStep& filter : variable.filters) {
      filter.id = static_cast<unsigned>(words.word());
      filter.values.resize(static_cast<std::size_t>(words.word()));
      for (unsigned& value : filter.values) value = static_cast<unsigned>(words.word());
    }
  }
  return told;
}

}  // namespace weir
