// SPDX-License-Identifier: Apache-2.0
// Elements from one byte order into the other, where they lie. Pure, Local, allocates nothing.
#pragma once

#include <cstddef>
#include <span>

namespace weir {

// Of 1, 2, 4 or 8 bytes each.
void turn_round(std::span<std::byte> elements, int element_bytes) noexcept;

}  // namespace weir
