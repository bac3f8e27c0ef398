// SPDX-License-Identifier: Apache-2.0
// Frames of blosc: made, and read. Source: c-blosc's README_CHUNK_FORMAT.rst. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/chunked/codec.hpp"
#include "formats/chunked/packed_batch.hpp"

namespace weir {

// The header of a blosc frame. Source: c-blosc's README_CHUNK_FORMAT.rst.

inline constexpr std::size_t blosc_header_bytes = 16, blosc_word_bytes = 4;
// Flags.
inline constexpr std::uint8_t blosc_shuffled = 0x01, blosc_copied = 0x02, blosc_bits_shuffled = 0x04,
                              blosc_not_split = 0x10;

// A frame of blosc: elements shuffled, then compressed. Any reader of blosc (version 1) takes it. Local.

constexpr std::int64_t most_blosc_bytes = INT32_MAX - 16;  // of what is packed

struct BloscRule {
  CompressedFormat form;  // zlib or zstd
  int level;
  int element_bytes;
};

// The most bytes that a frame of so many can have.
std::size_t blosc_bound(const BloscRule& rule, std::size_t bytes) noexcept;

// Writes the frame of `from`, at most most_blosc_bytes of whole elements, to the beginning of `to`, which has room for
// blosc_bound. Returns its bytes; 0 where the compressor fails. `sorted`: what it sorts elements in, not `from`'s.
std::size_t pack_blosc(Compressor& codec, const BloscRule& rule, std::span<const std::byte> from,
                       UninitializedBuffer& sorted, std::span<std::byte> to);

// The inverse of formats/chunked/blosc.hpp, for frames of any library: compressed by zlib or zstd, with shuffle by
// bytes or without. Local.

// Bytes written to `to`; 0 where the frame is damaged or of another kind. `sorted`: memory for a block.
std::size_t unpack_blosc(Inflater& inflater, std::span<const std::byte> frame, std::vector<std::byte>& sorted,
                         std::span<std::byte> to);

}  // namespace weir
