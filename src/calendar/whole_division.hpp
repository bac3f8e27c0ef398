// SPDX-License-Identifier: Apache-2.0
// Division of whole numbers towards minus infinity, so that times before a reference count as those behind it. Pure,
// Local.
#pragma once

#include <cstdint>

namespace weir {

// Return the largest whole number not above number / divisor, and what is left of the number: 0 to divisor - 1.
// Requires: divisor > 0.
constexpr std::int64_t whole_part(std::int64_t number, std::int64_t divisor) noexcept {
  const std::int64_t quotient = number / divisor;
  return number % divisor < 0 ? quotient - 1 : quotient;
}
constexpr std::int64_t remainder_of(std::int64_t number, std::int64_t divisor) noexcept {
  const std::int64_t remainder = number % divisor;
  return remainder < 0 ? remainder + divisor : remainder;
}

}  // namespace weir
