// SPDX-License-Identifier: Apache-2.0
// A frame of blosc: elements shuffled, then compressed. Any reader of blosc (version 1) takes it. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "write/packing/uninitialized_buffer.hpp"
#include "write/packing/compressor.hpp"

namespace weir {

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
std::size_t pack_blosc(Compressor& codec, const BloscRule& rule, std::span<const std::byte> from, UninitializedBuffer& sorted,
                       std::span<std::byte> to);

}  // namespace weir
