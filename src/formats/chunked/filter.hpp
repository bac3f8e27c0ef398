// SPDX-License-Identifier: Apache-2.0
// The filters of a chunk, their numbers and parameters, and which of them this build has. chunked/packer.hpp applies
// them, chunked/unpacker.hpp undoes them. Pure.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "formats/chunked/codec.hpp"

namespace weir {

// HDF5's numbers. A chunk that deflate or zstd would make larger skips that filter.
constexpr unsigned deflate_filter = 1, shuffle_filter = 2, fletcher32_filter = 3, zstd_filter = 32015;
// Codecs of Zarr, which no chunk skips. Zarr gives them no numbers; these are beyond HDF5's.
constexpr unsigned gzip_codec = 0x10000, zstd_codec = 0x10001, blosc_codec = 0x10002, crc32c_codec = 0x10003;

// A filter and its parameters.
struct FilterStep {
  unsigned id;
  // A level; for blosc_codec: the filter within, a level, bytes of an element.
  std::vector<unsigned> values;
};
void fields(auto& archive, Either<FilterStep> auto& filter) {
  archive(filter.id, filter.values);
}

// Whether a filter compresses, which takes longer than writing.
inline bool squeezes(std::span<const FilterStep> filters) {
  return std::any_of(filters.begin(), filters.end(), [](const FilterStep& filter) {
    return filter.id != shuffle_filter && filter.id != fletcher32_filter && filter.id != crc32c_codec;
  });
}

// How a variable is written.
struct StoredVariable {
  std::vector<FilterStep> filters;  // of its chunks, in their order
  std::int64_t begin = 0;           // of a variable without dimensions: the offset of its element
  bool kept = false;                // rank 0 writes it at a commit (deferred_values.hpp)
  std::string obstacle = {};        // why it cannot be written; "" if it can
};
void fields(auto& archive, Either<StoredVariable> auto& variable) {
  archive(variable.filters, variable.begin, variable.kept, variable.obstacle);
}

// Returns the format of a filter or codec that compresses.
CompressedFormat squeezed_form(unsigned filter) noexcept;

enum class Lack : std::uint8_t { nothing, deflate, zstd, filter };

// The first filter of a list that this build does not have.
struct LackingFilter {
  Lack what = Lack::nothing;
  unsigned id = 0;
};
// Returns the first filter of a list that this build does not have, for packing as for unpacking.
LackingFilter lacking_filter(std::span<const FilterStep> filters);

std::uint32_t crc32c(std::span<const std::byte> bytes) noexcept;

constexpr std::int64_t crc32c_bytes = 4;
// Returns the sum as the codec writes it after the bytes.
std::array<std::byte, crc32c_bytes> crc32c_codec_bytes(std::span<const std::byte> bytes) noexcept;
// Whether the last bytes of `with_sum` are the sum of those before them.
bool ends_with_crc32c(std::span<const std::byte> with_sum) noexcept;

// Shuffles `from` into `to`, which has as many bytes. `turned`: elements come in the other byte order than the one in
// which their bytes count.
void shuffle(std::span<const std::byte> from, int element_bytes, bool turned, std::byte* to);

// Undoes shuffle(). `turned`: into the other byte order. Returns whether it has swapped elements, as asked for: those
// of 2, 4 and 8 bytes.
bool unshuffle(std::span<const std::byte> from, std::byte* to, std::size_t element_bytes, bool turned);

}  // namespace weir
