// SPDX-License-Identifier: Apache-2.0
// Cycles are counted modulo 2^32: a run may have more. Those that are compared lie close to one another. Pure.
#pragma once

#include <cstdint>

namespace weir {

inline bool later(std::uint32_t one, std::uint32_t other) noexcept {
  return static_cast<std::int32_t>(one - other) > 0;
}

}  // namespace weir
