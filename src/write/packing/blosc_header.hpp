// SPDX-License-Identifier: Apache-2.0
// The header of a blosc frame. Source: c-blosc's README_CHUNK_FORMAT.rst.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weir {

inline constexpr std::size_t blosc_header_bytes = 16, blosc_word_bytes = 4;
// Flags.
inline constexpr std::uint8_t blosc_shuffled = 0x01, blosc_copied = 0x02, blosc_bits_shuffled = 0x04,
                              blosc_not_split = 0x10;

}  // namespace weir
