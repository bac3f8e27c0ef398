// SPDX-License-Identifier: Apache-2.0
// Numbers: blocks of a file, cycle numbers modulo 2^32, checksums, random bits for names. Local.
#pragma once

#include <sys/random.h>

#include <cstdint>
#include <random>

namespace weir {

// The blocks of direct I/O: whole pages of the file, from memory with the same alignment. Large tile memory therefore
// begins at the remainder of its file offset by the block size, wherever a variable or record begins.
inline constexpr std::int64_t block_bytes = 4096;

// Fewer bytes are written through the page cache, and need no alignment.
inline constexpr std::int64_t fewest_aligned_bytes = 64LL << 10;

// Returns the distance from `at` to the next number with `remainder` modulo `period`. No argument is negative.
constexpr std::int64_t missing_to(std::int64_t at, std::int64_t remainder, std::int64_t period) noexcept {
  return ((remainder - at) % period + period) % period;
}

// Cycle numbers count modulo 2^32, since a run may have more cycles. Compared numbers are close to each other.
inline bool later(std::uint32_t one, std::uint32_t other) noexcept {
  return static_cast<std::int32_t>(one - other) > 0;
}

// FNV-1a with 64 bits: fnv_add() returns the sum with one more byte or word.
inline constexpr std::uint64_t fnv_start = 0xcbf29ce484222325;
constexpr std::uint64_t fnv_add(std::uint64_t sum, std::uint64_t value) noexcept {
  return (sum ^ value) * 0x100000001b3;
}

// 32 random bits for file names. std::random_device first queries the processor, which takes tens of microseconds in a
// virtual machine.
inline std::uint32_t random_bits() {
  std::uint32_t bits;
  return ::getrandom(&bits, sizeof bits, 0) == static_cast<ssize_t>(sizeof bits) ? bits : std::random_device()();
}

}  // namespace weir
