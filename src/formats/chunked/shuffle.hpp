// SPDX-License-Identifier: Apache-2.0
// HDF5's filter "shuffle": all first bytes of the elements, then all second bytes, ...; then the bytes that make no
// element. Bytes of one significance are together, which compresses better. Pure, Local.
#pragma once

#include <cstddef>
#include <span>

namespace weir {

// Shuffles `from` into `to`, which has as many bytes. `turned`: elements come in the other byte order than the one in
// which their bytes count.
void shuffle(std::span<const std::byte> from, int element_bytes, bool turned, std::byte* to);

// Undoes shuffle(). `turned`: into the other byte order. Returns whether it has swapped elements, as asked for: those
// of 2, 4 and 8 bytes.
bool unshuffle(std::span<const std::byte> from, std::byte* to, std::size_t element_bytes, bool turned);

}  // namespace weir
