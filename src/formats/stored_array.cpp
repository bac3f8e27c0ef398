// SPDX-License-Identifier: Apache-2.0
#include "formats/stored_array.hpp"

#include <cstring>

#include "base/error.hpp"
#include "base/text.hpp"
#include "commit/checked_words.hpp"

namespace weir {

namespace {

constexpr std::int64_t tables_mark = 0x5745495254424c31;  // "WEIRTBL1"

template <class Value>
void add_all(CheckedWords& words, const std::vector<Value>& values) {
  words.add(std::as_bytes(std::span(values)));
}

template <class Value>
std::vector<Value> take_all(CheckedReader& words) {
  const std::vector<std::byte> bytes = words.bytes();
  std::vector<Value> values(bytes.size() / sizeof(Value));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(Value));
  return values;
}

void add(CheckedWords& words, const ChunkFiles& files) {
  words.add(files.folder);
  words.add(files.keys.prefix);
  words.add(files.keys.separator);
  add_all(words, files.part);
  const ShardIndexForm form = files.index.value_or(ShardIndexForm());
  for (const bool word : {files.index.has_value(), form.at_end, form.little_endian, form.summed}) words.add(word);
}

ChunkFiles take_files(CheckedReader& words) {
  ChunkFiles files;
  files.folder = words.text();
  files.keys.prefix = words.text();
  files.keys.separator = static_cast<char>(words.word());
  files.part = take_all<std::int64_t>(words);
  const bool indexed = words.word() != 0;
  ShardIndexForm form;
  for (bool* word : {&form.at_end, &form.little_endian, &form.summed}) *word = words.word() != 0;
  if (indexed) files.index = form;
  return files;
}

void add(CheckedWords& words, const StoredArray& array) {
  words.add(array.obstacle);
  add_all(words, array.lengths);
  add_all(words, array.chunk);
  words.add(array.little_endian ? 1 : 0);
  words.add(std::span<const std::byte>(array.fill));
  words.add(std::ssize(array.filters));
  for (const FilterStep& filter : array.filters) {
    words.add(std::int64_t{filter.id});
    add_all(words, filter.values);
  }
  words.add(array.address);
  words.add(array.contents);
  add_all(words, array.pieces);
  words.add(array.files ? 1 : 0);
  if (array.files) add(words, *array.files);
}

StoredArray take_array(CheckedReader& words) {
  StoredArray array;
  array.obstacle = words.text();
  array.lengths = take_all<std::int64_t>(words);
  array.chunk = take_all<std::int64_t>(words);
  array.little_endian = words.word() != 0;
  const std::vector<std::byte> fill = words.bytes();
  std::copy_n(fill.begin(), std::min(fill.size(), array.fill.size()), array.fill.begin());
  array.filters.resize(static_cast<std::size_t>(words.word()));
  for (FilterStep& filter : array.filters) {
    filter.id = static_cast<unsigned>(words.word());
    filter.values = take_all<unsigned>(words);
  }
  array.address = words.word();
  array.contents = words.bytes();
  array.pieces = take_all<StoredPiece>(words);
  if (words.word() != 0) array.files = take_files(words);
  return array;
}

}  // namespace

std::vector<int> order_as(const Schema& like, StoredTables& tables) {
  std::vector<int> order;
  std::vector<StoredArray> arrays;
  for (const Variable& wanted : like.variables()) {
    const int var = tables.schema.find_variable(wanted.name);
    const Variable* const there = var < 0 ? nullptr : &tables.schema.variable(var);
    require(there && there->type == wanted.type && there->dims.size() == wanted.dims.size(), WEIR_EINTERNAL,
            "the file has another variable " + in_quotes(wanted.name) + " than was defined");
    order.push_back(var);
    arrays.push_back(std::move(tables.arrays[static_cast<std::size_t>(var)]));
  }
  require(order.size() == tables.arrays.size(), WEIR_EINTERNAL, "the file has more variables than were defined");
  tables.schema.order_variables(order);
  tables.arrays = std::move(arrays);
  return order;
}

std::vector<std::byte> serialize(const StoredTables& tables) {
  CheckedWords words(tables_mark);
  words.add(tables.schema.serialize());
  words.add(tables.records);
  words.add(std::ssize(tables.arrays));
  for (const StoredArray& array : tables.arrays) add(words, array);
  words.add(std::ssize(tables.left_out));
  for (const auto& [name, reason] : tables.left_out) {
    words.add(name);
    words.add(reason);
  }
  return words.sealed();
}

StoredTables deserialize_tables(std::span<const std::byte> bytes) {
  auto words = CheckedReader::open(bytes, tables_mark);
  require(words.has_value(), WEIR_EINTERNAL, "the tables of a file that rank 0 sent are incomplete");
  StoredTables tables;
  tables.schema = Schema::deserialize(words->bytes());
  tables.records = words->word();
  tables.arrays.resize(static_cast<std::size_t>(words->word()));
  for (StoredArray& array : tables.arrays) array = take_array(*words);
  tables.left_out.resize(static_cast<std::size_t>(words->word()));
  for (auto& [name, reason] : tables.left_out) {
    name = words->text();
    reason = words->text();
  }
  return tables;
}

}  // namespace weir
