// SPDX-License-Identifier: Apache-2.0
// The filters of a chunk: their steps, and which are known. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "formats/chunked/codec.hpp"

namespace weir {

// The filters by which a format packs a chunk, in their order. Pure data.

// HDF5's numbers. A chunk that deflate or zstd would make larger does not go through it.
constexpr unsigned deflate_filter = 1, shuffle_filter = 2, fletcher32_filter = 3, zstd_filter = 32015;
// Codecs of Zarr: every chunk goes through them. They have no numbers there; these are beyond HDF5's.
constexpr unsigned gzip_codec = 0x10000, zstd_codec = 0x10001, blosc_codec = 0x10002, crc32c_codec = 0x10003;

struct FilterStep {
  unsigned id;
  // What it is told: a level; of blosc_codec the filter within, a level, bytes of an element.
  std::vector<unsigned> values;
};

// Whether some of them take longer than writing does.
inline bool squeezes(std::span<const FilterStep> filters) {
  return std::any_of(filters.begin(), filters.end(), [](const FilterStep& filter) {
    return filter.id != shuffle_filter && filter.id != fletcher32_filter && filter.id != crc32c_codec;
  });
}

struct StoredVariable {
  std::vector<FilterStep> filters;  // of its chunks, in their order
  std::int64_t begin = 0;           // of a variable without dimensions: where its one element is
  bool kept = false;                // in a form that is written at a commit, by rank 0 (deferred_values.hpp)
  std::string obstacle = {};        // why it cannot be written; empty where it can
};

// Which of the filters this build has: the same for packing and for unpacking. Local.

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
