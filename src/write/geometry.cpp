// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "write/definition.hpp"

namespace weir {

std::vector<std::byte> serialize(const Geometry& geometry) {
  std::vector<std::int64_t> words{geometry.format,    geometry.record_bytes, geometry.records,
                                  geometry.fixed_end, geometry.record_begin, geometry.header_bytes};
  words.insert(words.end(), geometry.begin.begin(), geometry.begin.end());
  std::vector<std::byte> bytes(words.size() * sizeof(std::int64_t));
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

Geometry deserialize_geometry(std::span<const std::byte> bytes) {
  std::vector<std::int64_t> words(bytes.size() / sizeof(std::int64_t));
  std::memcpy(words.data(), bytes.data(), bytes.size());
  Geometry geometry;
  geometry.format = static_cast<int>(words[0]);
  geometry.record_bytes = words[1];
  geometry.records = words[2];
  geometry.fixed_end = words[3];
  geometry.record_begin = words[4];
  geometry.header_bytes = words[5];
  geometry.begin.assign(words.begin() + 6, words.end());
  return geometry;
}

}  // namespace weir
