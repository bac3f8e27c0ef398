// SPDX-License-Identifier: Apache-2.0
// A layout: what one rank holds of an array, and where it lies in the rank's memory; and the numbered layouts of an
// instance. A put or get names a layout. Pure, Local.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "plan/box.hpp"

namespace weir {

// Pieces are boxes of the array, or, if the layout (or any rank's) is an offset map, runs of the array laid out flat.
class Layout {
 public:
  // Make layouts. `starts` and `counts`: nboxes * ndims numbers. `order`: the axes as they lie in memory, slowest
  // first, or empty. `counting` is for messages.
  // Errors: WEIR_EARGUMENT for a box outside the array or its memory array, an order that is no permutation, an offset
  // that is negative, repeated or beyond the array.
  static Layout boxes(IndexView shape, IndexView starts, IndexView counts, std::span<const int> order,
                      const Counting& counting = {});
  static Layout subarray(IndexView shape, IndexView start, IndexView count, std::span<const int> order,
                         IndexView memory_shape, IndexView memory_start, const Counting& counting = {});
  static Layout map(IndexView shape, IndexView offsets, const Counting& counting = {});
  // Makes a layout of runs of the flat array, one after another in memory. `bounds`: lower, upper, lower, upper, ...
  static Layout runs(IndexView shape, IndexView bounds);

  // The shape of the array; {1} for a scalar.
  const Shape& shape() const noexcept { return shape_; }
  // The shape of the space of the pieces: shape(), or {elements} if flat.
  Shape space() const;
  bool flat() const noexcept { return flat_; }
  const BoxList& pieces() const noexcept { return pieces_; }
  // A piece's first element in memory, and the distances in memory along each dimension of space().
  std::int64_t base(std::size_t piece) const noexcept { return bases_[piece]; }
  IndexView memory_strides(std::size_t piece) const noexcept;
  // Elements of the caller's buffer.
  std::int64_t buffer_length() const noexcept { return buffer_length_; }
  // Lengths of the array in memory, slowest first, for one box with more than one axis; else empty.
  const Shape& memory_shape() const noexcept { return memory_shape_; }
  std::int64_t elements_held() const noexcept { return pieces_.volume(); }
  // Whether both have the same pieces, in the same places of the caller's buffer.
  bool operator==(const Layout& other) const noexcept;

  // Returns the same elements as runs of the flat array.
  Layout flattened() const;
  // plan/compact_layout.hpp
  friend Layout compact(const Layout& layout);

 private:
  void add_run(std::int64_t lo, std::int64_t hi, std::int64_t base, std::int64_t stride);
  void add_piece(IndexView lo, IndexView hi, std::int64_t base, IndexView memory_strides);

  Shape shape_;
  bool flat_ = false;
  BoxList pieces_;
  std::vector<std::int64_t> bases_;
  std::vector<std::int64_t> memory_strides_;  // ndims for each piece
  std::int64_t buffer_length_ = 0;
  Shape memory_shape_;
};

// The layouts of one instance, numbered from 0 alike on all ranks; a number is never used again. All ranks make the
// same calls.
class Layouts {
 public:
  explicit Layouts(const Counting& counting = {}) : counting_(counting) {}
  // The caller's, for messages.
  const Counting& counting() const noexcept { return counting_; }

  // Add and remove a layout.
  int add(Layout layout);
  void remove(int number);
  // Returns a layout.
  // Errors: WEIR_EARGUMENT if there is none of this number.
  const Layout& at(int number) const;

  // Returns the number of the layout in which rank 0 holds all of an array of `shape`. Of many shapes the oldest is
  // forgotten.
  int whole_on_rank_0(IndexView shape, int rank);
  // For a recovery, after a rank may have left out a call of whole_on_rank_0(): drops its layouts, and goes on with
  // number `first`, the largest next() of any rank.
  int next() const noexcept { return next_; }
  void restart(int first);

  // The box layouts of weir_put_vara, found by this rank's own box; find() returns -1 if there is none.
  struct OwnBox {
    Shape shape, start, count;
    auto operator<=>(const OwnBox&) const = default;
  };
  int find(const OwnBox& box) const;
  int add(const OwnBox& box);
  // Returns the box layouts to remove before another is added: none, or, if there are many, the older half. The same on
  // all ranks.
  std::vector<int> outdated_boxes() const;

 private:
  Counting counting_;
  int next_ = 0;
  std::map<int, Layout> layouts_;
  std::map<Shape, int> whole_;
  std::map<OwnBox, int> by_box_;
  std::vector<int> ages_;  // of by_box_, oldest first
};

}  // namespace weir
