// SPDX-License-Identifier: Apache-2.0
// Comparison of cycle numbers, which are counted modulo 2^32, since a run may have more. Compared numbers are close to
// one another. Pure.
#pragma once

#include <cstdint>

namespace weir {

inline bool later(std::uint32_t one, std::uint32_t other) noexcept {
  return static_cast<std::int32_t>(one - other) > 0;
}

}  // namespace weir
