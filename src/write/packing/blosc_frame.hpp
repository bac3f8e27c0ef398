// SPDX-License-Identifier: Apache-2.0
// The inverse of write/packing/blosc.hpp, for frames of any library: compressed by zlib or zstd, with shuffle by bytes
// or without. Local.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "write/packing/inflater.hpp"

namespace weir {

// Bytes written to `to`; 0 where the frame is damaged or of another kind. `sorted`: memory for a block.
std::size_t unpack_blosc(Inflater& inflater, std::span<const std::byte> frame, std::vector<std::byte>& sorted,
                         std::span<std::byte> to);

}  // namespace weir
