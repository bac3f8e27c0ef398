// SPDX-License-Identifier: Apache-2.0
// How a format that packs its variables stores one (netCDF-4, Zarr): in chunks of one shape, each through filters.
// formats/chunked/ packs them. Pure data.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace weir {

// How floating-point values are quantized: the bits that do not count are made equal (netCDF's quantize).
enum class QuantizeKind { bit_groom = 1, granular_bit_round = 2, bit_round = 3 };
struct Quantization {
  QuantizeKind kind;
  int digits;  // significant digits: decimal; for bit_round binary

  bool operator==(const Quantization&) const = default;
};

struct Storage {
  std::vector<std::int64_t> chunk;  // lengths along all its dimensions, slowest first; empty: default_chunk
  bool shuffle = false;
  bool fletcher32 = false;
  std::optional<int> deflate_level;  // 0 to 9
  std::optional<int> zstd_level;     // as the zstd library counts them
  std::optional<Quantization> quantization;

  bool operator==(const Storage&) const = default;
  bool packed() const noexcept { return shuffle || fletcher32 || deflate_level || zstd_level; }
  bool squeezed() const noexcept { return deflate_level || zstd_level; }
  bool any() const noexcept { return *this != Storage(); }
};

// Returns the chunk of a variable for which the program sets none. `shape`: without the record dimension. The chunk is
// whole along the fastest dimensions, 1 along the slowest, and between them of the length that gives the fewest chunks
// of at most 1 MiB, or up to half more if they then divide the dimension. So a chunk is a piece of the file order, a
// map is read in few chunks, and every writer has whole ones.
std::vector<std::int64_t> default_chunk(std::span<const std::int64_t> shape, int element_bytes);
// The same of a variable with records, for a chunk of `records` of them, with the record dimension.
std::vector<std::int64_t> default_chunk(std::span<const std::int64_t> shape, int element_bytes, std::int64_t records);

}  // namespace weir
