// SPDX-License-Identifier: Apache-2.0
// Many slabs of one variable in little memory: 16 bytes a dimension each, 24 where some slab has strides. Pure, Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/layout_book.hpp"

namespace weir::bridge {

class SlabList {
 public:
  // All of the same number of dimensions, and not empty.
  void add(const Slab& slab);
  std::size_t size() const noexcept { return size_; }
  Slab at(std::size_t n) const;
  // Where to cut the list so that no two slabs between two cuts have an element in common: the first of each part. The
  // time is in proportion to the list, or to the elements' rows, however many of the slabs meet.
  std::vector<std::size_t> first_of_parts() const;

 private:
  std::size_t size_ = 0, ndims_ = 0;
  std::vector<std::int64_t> words_;    // start and count of each
  std::vector<std::int64_t> strides_;  // empty: all ones
};

}  // namespace weir::bridge
