// SPDX-License-Identifier: Apache-2.0
// Numbers: blocks of a file, cycles that are counted modulo 2^32, random bits for names. Local.
#pragma once

#include <sys/random.h>

#include <cstdint>
#include <random>

namespace weir {

// The blocks of direct I/O: whole pages of the file, from memory with the same alignment. Tile memory that is large
// enough for direct I/O therefore begins at the remainder of its file offset by the block size, wherever a variable or
// a record begins. Pure, Local.

inline constexpr std::int64_t block_bytes = 4096;

// What is smaller is written through the cache, and lies in memory as it comes.
inline constexpr std::int64_t fewest_aligned_bytes = 64LL << 10;

// How much is missing from `at` to the next number with `remainder` of `period`. None is negative.
constexpr std::int64_t missing_to(std::int64_t at, std::int64_t remainder, std::int64_t period) noexcept {
  return ((remainder - at) % period + period) % period;
}

// Comparison of cycle numbers, which are counted modulo 2^32, since a run may have more. Compared numbers are close to
// one another. Pure.

inline bool later(std::uint32_t one, std::uint32_t other) noexcept {
  return static_cast<std::int32_t>(one - other) > 0;
}

// 32 random bits for names of files. std::random_device first queries the processor, which takes tens of microseconds
// in a virtual machine. Local.

inline std::uint32_t random_bits() {
  std::uint32_t bits;
  return ::getrandom(&bits, sizeof bits, 0) == static_cast<ssize_t>(sizeof bits) ? bits : std::random_device()();
}

}  // namespace weir
