// SPDX-License-Identifier: Apache-2.0
// What the model puts, and what has come to the memory sinks of all ranks, which are one process. Local.
#pragma once

#include <cstdint>

namespace weir::simgrid {

// The element of four bytes that belongs at this byte of the file: no two neighbours, or variables, are alike.
inline std::uint32_t bits_at(std::int64_t offset) noexcept {
  const auto number = static_cast<std::uint64_t>(offset) * 0x9e3779b97f4a7c15ULL;
  return static_cast<std::uint32_t>(number >> 32);
}

struct Written {
  std::int64_t bytes = 0;
  std::int64_t wrong = 0;  // elements
};
Written& written();

}  // namespace weir::simgrid
