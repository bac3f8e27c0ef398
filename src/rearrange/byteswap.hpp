// SPDX-License-Identifier: Apache-2.0
// Swaps the byte order of elements in place. Pure, Local, allocates nothing.
#pragma once

#include <cstddef>
#include <span>

namespace weir {

// Swaps elements of 1, 2, 4 or 8 bytes.
void byteswap_in_place(std::span<std::byte> elements, int element_bytes) noexcept;

}  // namespace weir
