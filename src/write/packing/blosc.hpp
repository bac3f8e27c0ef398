// SPDX-License-Identifier: Apache-2.0
// A frame of blosc: elements shuffled, then compressed. Any reader of blosc (version 1) takes it. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "write/packing/squeezer.hpp"

namespace weir {

constexpr std::int64_t most_blosc_bytes = INT32_MAX - 16;  // of what is packed

struct BloscRule {
  SqueezedForm form;  // zlib or zstd
  int level;
  int element_bytes;
};

// Appends `from`, at most most_blosc_bytes of whole elements. False where the compressor fails.
bool append_blosc(Squeezer& squeezer, const BloscRule& rule, std::span<const std::byte> from,
                  std::vector<std::byte>& to);

}  // namespace weir
