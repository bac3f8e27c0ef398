// SPDX-License-Identifier: Apache-2.0
// Frames of blosc, a codec of Zarr: made (pack_blosc) and read (unpack_blosc). Any reader of blosc (version 1) takes
// them. Source: c-blosc's README_CHUNK_FORMAT.rst. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/chunked/codec.hpp"
#include "formats/chunked/packed_batch.hpp"

namespace weir {

// The header of a frame.
inline constexpr std::size_t blosc_header_bytes = 16, blosc_word_bytes = 4;
// Flags.
inline constexpr std::uint8_t blosc_shuffled = 0x01, blosc_copied = 0x02, blosc_bits_shuffled = 0x04,
                              blosc_not_split = 0x10;

constexpr std::int64_t most_blosc_bytes = INT32_MAX - 16;  // of the elements in a frame

// How elements are packed: shuffled, then compressed by zlib or zstd.
struct BloscRule {
  CompressedFormat form;  // zlib or zstd
  int level;
  int element_bytes;
};

// Returns the most bytes of a frame of `bytes` bytes.
std::size_t blosc_bound(const BloscRule& rule, std::size_t bytes) noexcept;

// Writes the frame of `from` to the beginning of `to`, and returns its bytes; 0 if the compressor fails. `sorted`:
// memory for shuffling, not `from`'s.
// Requires: `from` has whole elements, at most most_blosc_bytes; `to` has room for blosc_bound().
std::size_t pack_blosc(Compressor& codec, const BloscRule& rule, std::span<const std::byte> from,
                       UninitializedBuffer& sorted, std::span<std::byte> to);

// Unpacks a frame of any library, compressed by zlib or zstd, with shuffle by bytes or without. Returns the bytes
// written to `to`; 0 if the frame is damaged or of another kind. `sorted`: memory for a block.
std::size_t unpack_blosc(Inflater& inflater, std::span<const std::byte> frame, std::vector<std::byte>& sorted,
                         std::span<std::byte> to);

}  // namespace weir
