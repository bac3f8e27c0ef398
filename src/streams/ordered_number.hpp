// SPDX-License-Identifier: Apache-2.0
// Whole numbers that sort as doubles do, so that ranks can agree on a double that one of them holds: by the largest
// number, where the others give `no_number`. Pure.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace weir {

inline constexpr std::int64_t no_number = std::numeric_limits<std::int64_t>::min();

inline std::int64_t in_order(double value) noexcept {
  const auto bits = std::bit_cast<std::int64_t>(value);
  return bits < 0 ? no_number - bits : bits;
}
inline double from_order(std::int64_t number) noexcept {
  return std::bit_cast<double>(number < 0 ? no_number - number : number);
}

}  // namespace weir
