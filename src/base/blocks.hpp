// SPDX-License-Identifier: Apache-2.0
// The blocks of direct I/O: whole pages of the file, from memory with the same alignment. Tile memory that is large
// enough for direct I/O therefore begins at the remainder of its file offset by the block size, wherever a variable or
// a record begins. Pure, Local.
#pragma once

#include <cstdint>

namespace weir {

inline constexpr std::int64_t block_bytes = 4096;

// What is smaller is written through the cache, and lies in memory as it comes.
inline constexpr std::int64_t fewest_aligned_bytes = 64LL << 10;

// How much is missing from `at` to the next number with `remainder` of `period`. None is negative.
constexpr std::int64_t missing_to(std::int64_t at, std::int64_t remainder, std::int64_t period) noexcept {
  return ((remainder - at) % period + period) % period;
}

}  // namespace weir
