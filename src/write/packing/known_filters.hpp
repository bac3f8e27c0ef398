// SPDX-License-Identifier: Apache-2.0
// Which of the filters this build has: the same for packing and for unpacking. Local.
#pragma once

#include <cstdint>
#include <span>

#include "write/packing/filter.hpp"
#include "write/packing/compressor.hpp"

namespace weir {

// Of a filter or codec that compresses.
CompressedFormat squeezed_form(unsigned filter) noexcept;

enum class Lack : std::uint8_t { nothing, deflate, zstd, filter };

// The first filter of a list that this build does not have.
struct LackingFilter {
  Lack what = Lack::nothing;
  unsigned id = 0;
};
LackingFilter lacking_filter(std::span<const FilterStep> filters);

}  // namespace weir
