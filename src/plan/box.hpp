// SPDX-License-Identifier: Apache-2.0
// Boxes: half-open n-dimensional index ranges of an array, int64, slowest dimension first. Scalars are arrays of one
// dimension of length 1. Pure, Local.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/counting.hpp"

namespace weir {

using Shape = std::vector<std::int64_t>;
using IndexView = std::span<const std::int64_t>;

// One box; its bounds are in the caller's memory.
struct Box {
  IndexView lo;
  IndexView hi;
  int ndims() const noexcept { return static_cast<int>(lo.size()); }
  std::int64_t volume() const noexcept;
};

// A list of boxes, kept flat: lists travel in messages and may have tens of thousands of boxes, since the runs of an
// offset map are boxes of one dimension.
class BoxList {
 public:
  explicit BoxList(int ndims = 1) : ndims_(ndims) {}

  int ndims() const noexcept { return ndims_; }
  std::size_t size() const noexcept { return bounds_.size() / (2 * static_cast<std::size_t>(ndims_)); }
  bool empty() const noexcept { return bounds_.empty(); }
  Box operator[](std::size_t i) const noexcept;
  void add(IndexView lo, IndexView hi);
  void add(Box box) { add(box.lo, box.hi); }
  // Moves the last box's upper bound in the last dimension.
  void lengthen_last(std::int64_t hi) { bounds_.back() = hi; }
  std::int64_t volume() const noexcept;
  // lo, then hi, of each box.
  const std::vector<std::int64_t>& bounds() const noexcept { return bounds_; }
  void add_bounds(IndexView bounds) { bounds_.insert(bounds_.end(), bounds.begin(), bounds.end()); }

 private:
  int ndims_;
  std::vector<std::int64_t> bounds_;
};

std::int64_t elements(IndexView shape) noexcept;

// Returns the distances, in elements, between neighbours along each dimension of an array of `shape` without gaps.
std::vector<std::int64_t> strides(IndexView shape);

// Returns the element number of an index: the sum of index * stride.
std::int64_t offset(IndexView index, IndexView stride) noexcept;

// Return the first, and one past the last, element number that the box touches in an array of these strides.
// Requires: the box is not empty.
std::int64_t first_element(Box box, IndexView stride) noexcept;
std::int64_t last_element(Box box, IndexView stride) noexcept;

// Returns the first dimension from which on the box is contiguous in an array of this shape.
std::size_t contiguous_from(Box box, IndexView shape) noexcept;

// Appends the elements [first, last) of an array of `shape` to `out`, as boxes in file order, each contiguous in the
// file: at most 2 * ndims - 1 of them.
void range_boxes(IndexView shape, std::int64_t first, std::int64_t last, BoxList& out);

// Appends the common part to `out`, if there is one.
void intersect(Box a, Box b, BoxList& out);

// Returns "[0:3, 10:20)"; for counting from 1, where the last element is named, "(1:3, 11:20)".
std::string to_string(Box box, const Counting& counting = {});

}  // namespace weir
