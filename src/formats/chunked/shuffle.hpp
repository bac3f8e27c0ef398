// SPDX-License-Identifier: Apache-2.0
// HDF5's filter "shuffle": all first bytes of the elements, then all second ones, ...; then the bytes that make no
// element. Bytes of one significance lie together, which packs better. Pure, Local.
#pragma once

#include <cstddef>
#include <span>

namespace weir {

// `turned`: each element comes in the other byte order than the one in which its bytes are to be counted. `to` has room
// for as many bytes.
void shuffle(std::span<const std::byte> from, int element_bytes, bool turned, std::byte* to);

// The inverse of formats/chunked/shuffle.hpp. Pure, Local.

// `turned`: into the other byte order. Returns whether it has turned elements, as asked for: those of 2, 4 and 8 bytes.
bool unshuffle(std::span<const std::byte> from, std::byte* to, std::size_t element_bytes, bool turned);

}  // namespace weir
