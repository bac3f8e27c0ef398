// SPDX-License-Identifier: Apache-2.0
// Boxes: half-open n-dimensional index ranges of an array, int64, slowest dimension first. Lists of them are kept flat
// (they travel in messages and there can be tens of thousands: an offset map's runs are boxes of one dimension).
// Pure, Local. Arrays of no dimension (scalars) are written as one dimension of length 1.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/counting.hpp"

namespace weir {

using Shape = std::vector<std::int64_t>;
using IndexView = std::span<const std::int64_t>;

// One box, in another rank's memory.
struct Box {
  IndexView lo;
  IndexView hi;
  int ndims() const noexcept { return static_cast<int>(lo.size()); }
  std::int64_t volume() const noexcept;
};

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
  // lo then hi of each box, one after another.
  const std::vector<std::int64_t>& bounds() const noexcept { return bounds_; }
  void add_bounds(IndexView bounds) { bounds_.insert(bounds_.end(), bounds.begin(), bounds.end()); }

 private:
  int ndims_;
  std::vector<std::int64_t> bounds_;
};

std::int64_t elements(IndexView shape) noexcept;

// Distance, in elements, between neighbours along each dimension of an array of `shape` stored without gaps.
std::vector<std::int64_t> strides(IndexView shape);

// Element number of an index: sum of index * stride.
std::int64_t offset(IndexView index, IndexView stride) noexcept;

// First and one past the last element number (in an array of these strides) that the box touches. Not for empty boxes.
std::int64_t first_element(Box box, IndexView stride) noexcept;
std::int64_t last_element(Box box, IndexView stride) noexcept;

// From this dimension on the box is contiguous in an array of this shape.
std::size_t contiguous_from(Box box, IndexView shape) noexcept;

// The elements [first, last) of an array of `shape` as boxes, in file order, each contiguous in the file: at most
// 2 * ndims - 1 of them. Appended to `out`.
void range_boxes(IndexView shape, std::int64_t first, std::int64_t last, BoxList& out);

// The common part, appended to `out` where there is one.
void intersect(Box a, Box b, BoxList& out);

// "[0:3, 10:20)" for messages; counting from 1, where the last element is named, "(1:3, 11:20)".
std::string to_string(Box box, const Counting& counting = {});

}  // namespace weir
