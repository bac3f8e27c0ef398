// SPDX-License-Identifier: Apache-2.0
// Finds the parts of an array that no rank puts, whose values must be kept. Pure, Local.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/layout_book.hpp"

namespace weir::bridge {

// Rows [first, last) of the slowest dimension.
struct Rows {
  std::int64_t first = 0, last = 0;
};

// Of an array of `shape` the elements of these rows that lie in none of the slabs: boxes, disjoint, in ascending order
// of their first elements.
std::vector<Slab> uncovered(IndexView shape, Rows rows, std::span<const Slab> slabs);

}  // namespace weir::bridge
