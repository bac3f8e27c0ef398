// SPDX-License-Identifier: Apache-2.0
// Values that pack as a model's output does: smooth along each axis, with noise in their last bits. For weir-bench
// (--data model) and for weir-profile, which measures packing. Pure, Local.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <type_traits>
#include <vector>

namespace weir::workloads {

// 31 bits, spread by the finaliser of SplitMix64 (Steele, Lea & Flood 2014).
inline std::uint32_t spread_bits(std::uint64_t seed, std::int64_t offset) noexcept {
  std::uint64_t bits = seed + static_cast<std::uint64_t>(offset) * 0x9E3779B97F4A7C15ULL;
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9ULL;
  return static_cast<std::uint32_t>(bits >> 33);
}

// Of one axis, in [-1, 1]: a wave along it, and a shorter one.
inline std::vector<double> waves(std::int64_t length, int variable) {
  std::vector<double> values(static_cast<std::size_t>(length));
  for (std::int64_t i = 0; i < length; ++i) {
    const double turn = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(length) + variable;
    values[static_cast<std::size_t>(i)] = 0.9 * std::sin(turn) + 0.1 * std::sin(7 * turn);
  }
  return values;
}

// The value with noise from the 15th bit after the point of the mantissa on, of which a float has 23.
template <typename T>
T with_noise(double value, std::uint32_t hash) noexcept {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits noise = (Bits{1} << (std::numeric_limits<T>::digits - 15)) - 1;
  const auto spread = static_cast<Bits>(hash * 0x100000001ULL);
  return std::bit_cast<T>((std::bit_cast<Bits>(static_cast<T>(value)) & ~noise) | (spread & noise));
}

}  // namespace weir::workloads
