// SPDX-License-Identifier: Apache-2.0
// The inverse of write/packing/shuffle.hpp. Pure, Local.
#pragma once

#include <cstddef>
#include <span>

namespace weir {

// `turned`: into the other byte order. Returns whether it has turned elements, as asked for: those of 2, 4 and 8 bytes.
bool unshuffle(std::span<const std::byte> from, std::byte* to, std::size_t element_bytes, bool turned);

}  // namespace weir
