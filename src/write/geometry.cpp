// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "schema/file_offsets.hpp"
#include "write/definition.hpp"
#include "write/header_codec.hpp"

namespace weir {

void derive_ends(Geometry& geometry, const Schema& schema, std::int64_t header_bytes) {
  geometry.fixed_end = geometry.header_bytes = header_bytes;
  std::int64_t first_record = INT64_MAX;
  for (int var = 0; var < static_cast<int>(schema.variables().size()); ++var) {
    const std::int64_t begin = geometry.begin[static_cast<std::size_t>(var)];
    if (schema.is_record(var)) {
      first_record = std::min(first_record, begin);
    } else {
      geometry.fixed_end =
          std::max(geometry.fixed_end, saturated_sum(begin, padded_bytes(variable_bytes(schema, var))));
    }
  }
  geometry.record_begin = first_record != INT64_MAX ? first_record : geometry.fixed_end;
}

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
