// SPDX-License-Identifier: Apache-2.0
#include "write/zarr/chunk_files.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/spelling.hpp"
#include "write/packing/crc32c.hpp"

namespace weir {

namespace {

constexpr std::int64_t entry_bytes = 2 * sizeof(std::uint64_t);

void turn_words(std::span<std::byte> bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
    const auto word = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    std::reverse(word, word + sizeof(std::uint64_t));
  }
}

bool lies_within(std::uint64_t address, std::uint64_t bytes, std::uint64_t end) {
  return address <= end && bytes <= end - address;
}

}  // namespace

std::string chunk_key(const ChunkKeys& keys, IndexView place) {
  std::string key = keys.prefix;
  for (const std::int64_t number : place) {
    if (!key.empty()) key += keys.separator;
    key += std::to_string(number);
  }
  return key.empty() ? "0" : key;
}

std::optional<Shape> place_of_key(const ChunkKeys& keys, std::string_view name) {
  if (!name.starts_with(keys.prefix)) return std::nullopt;
  name.remove_prefix(keys.prefix.size());
  Shape place;
  while (!name.empty()) {
    const bool follows = !place.empty() || !keys.prefix.empty();
    if (follows && name.front() != keys.separator) return std::nullopt;
    if (follows) name.remove_prefix(1);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc() || number < 0) return std::nullopt;
    name.remove_prefix(static_cast<std::size_t>(end - name.data()));
    place.push_back(number);
  }
  return place;
}

std::int64_t index_bytes(const ShardIndexForm& form, std::int64_t chunks) noexcept {
  return chunks * entry_bytes + (form.summed ? crc32c_bytes : 0);
}

std::vector<std::byte> pack_index(std::span<const std::uint64_t> words) {
  const auto view = std::as_bytes(words);
  std::vector<std::byte> bytes(view.begin(), view.end());
  const auto sum = crc32c_codec_bytes(view);
  bytes.insert(bytes.end(), sum.begin(), sum.end());
  return bytes;
}

ShardIndex read_index(const Descriptor& file, const ShardIndexForm& form, std::int64_t chunks) {
  const std::string whose = "the shard " + in_quotes(file.path());
  const std::int64_t bytes = file.bytes(), length = index_bytes(form, chunks);
  if (bytes < length) return {{}, whose + " is truncated: it is shorter than its index"};
  std::vector<std::byte> text(static_cast<std::size_t>(length));
  file.read(text.data(), length, form.at_end ? bytes - length : 0);
  if (form.summed && !ends_with_crc32c(text)) return {{}, whose + " is truncated or changed: its index is invalid"};
  const std::span<std::byte> entries = std::span(text).first(static_cast<std::size_t>(chunks * entry_bytes));
  if (form.little_endian != (std::endian::native == std::endian::little)) turn_words(entries);
  ShardIndex index{std::vector<std::uint64_t>(2 * static_cast<std::size_t>(chunks)), ""};
  if (!entries.empty()) std::memcpy(index.words.data(), entries.data(), entries.size());
  const auto end = static_cast<std::uint64_t>(form.at_end ? bytes - length : bytes);
  for (std::size_t i = 0; i < index.words.size(); i += 2)
    if (index.words[i] != ShardIndex::no_chunk && !lies_within(index.words[i], index.words[i + 1], end))
      return {{}, whose + " has a chunk that lies beyond its end"};
  return index;
}

}  // namespace weir
