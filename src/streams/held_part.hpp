// SPDX-License-Identifier: Apache-2.0
// What a stream takes of a field on this rank: runs of the model's buffer, and the same elements as a layout of what
// goes to the file. Pure, Local.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "accumulate/accumulator.hpp"
#include "plan/compact_layout.hpp"
#include "plan/layout.hpp"

namespace weir {

// The elements of an array that a stream keeps: for each dimension the ascending indices; no indices: all.
using KeptIndices = std::vector<std::vector<std::int64_t>>;

// Returns the shape of the kept part of an array.
Shape part_shape(IndexView shape, const KeptIndices& kept);

// `layout` is of the kept part, and has the elements of `runs` one after another in memory.
struct HeldPart {
  std::vector<HeldRun> runs;
  Layout layout;

  std::int64_t elements() const noexcept { return layout.elements_held(); }
};

// Returns the part of a layout's elements that are kept.
// Requires: `kept` is empty (all is kept), or has an entry for each dimension of the layout's array.
HeldPart held_part(const Layout& layout, const KeptIndices& kept);

// Copies the elements of the runs, of `element_bytes` each, one after another into `to`.
void gather(std::span<const HeldRun> runs, const void* from, std::int64_t element_bytes, void* to) noexcept;

}  // namespace weir
