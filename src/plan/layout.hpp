// SPDX-License-Identifier: Apache-2.0
// A layout: what one rank holds of an array, and where it lies in the rank's memory. Pieces are boxes of the array, or,
// where the layout is an offset map (or any rank's is), runs of the array laid out flat. Pure, Local.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "plan/box.hpp"

namespace weir {

class Layout {
 public:
  // The makers throw Error(WEIR_EARGUMENT) with a sentence: a box outside the array, an order that is no permutation, a
  // box outside its memory array, an offset that is negative, repeated or beyond the array.
  // starts and counts: nboxes * ndims numbers; order: axes as they lie in memory, slowest first, or empty. counting: of
  // sentences.
  static Layout boxes(IndexView shape, IndexView starts, IndexView counts, std::span<const int> order,
                      const Counting& counting = {});
  static Layout subarray(IndexView shape, IndexView start, IndexView count, std::span<const int> order,
                         IndexView memory_shape, IndexView memory_start, const Counting& counting = {});
  static Layout map(IndexView shape, IndexView offsets, const Counting& counting = {});
  // Runs of the flat array: bounds are lower, upper, lower, upper, ...; in memory one after another.
  static Layout runs(IndexView shape, IndexView bounds);

  // Of the array the layout is a part of; a scalar's is {1}.
  const Shape& shape() const noexcept { return shape_; }
  // Of the space the pieces live in: shape(), or {elements} once flat.
  Shape space() const;
  bool flat() const noexcept { return flat_; }
  const BoxList& pieces() const noexcept { return pieces_; }
  // Memory element of a piece's first element, and distance in memory along each dimension of space().
  std::int64_t base(std::size_t piece) const noexcept { return bases_[piece]; }
  IndexView memory_strides(std::size_t piece) const noexcept;
  // Elements that a buffer must have.
  std::int64_t buffer_length() const noexcept { return buffer_length_; }
  // Lengths of the array in memory, slowest first, where it has more than one axis: of one box, or one within an array.
  const Shape& memory_shape() const noexcept { return memory_shape_; }
  std::int64_t elements_held() const noexcept { return pieces_.volume(); }

  // The same elements as runs of the flat array.
  Layout flattened() const;

 private:
  void add_run(std::int64_t lo, std::int64_t hi, std::int64_t base, std::int64_t stride);
  void add_piece(IndexView lo, IndexView hi, std::int64_t base, IndexView memory_strides);

  Shape shape_;
  bool flat_ = false;
  BoxList pieces_;
  std::vector<std::int64_t> bases_;
  std::vector<std::int64_t> memory_strides_;  // ndims a piece
  std::int64_t buffer_length_ = 0;
  Shape memory_shape_;
};

// The layouts of one instance, numbered from 0 alike on all ranks; a number is never used again.

class Layouts {
 public:
  explicit Layouts(const Counting& counting = {}) : counting_(counting) {}
  // The caller's, for sentences.
  const Counting& counting() const noexcept { return counting_; }

  // Local, but called alike on all ranks, so that numbers agree.
  int add(Layout layout);
  void remove(int number);
  // Throws Error(WEIR_EARGUMENT) where there is none of this number.
  const Layout& at(int number) const;

  // The layout in which rank 0 alone holds all of an array of `shape`; of many shapes the oldest is forgotten. Local.
  int whole_on_rank_0(IndexView shape, int rank);
  // After a step in which a rank may have left out one of those: none is kept, and the next number, `first`, is that of
  // the rank that has counted furthest.
  int next() const noexcept { return next_; }
  void restart(int first);

  // The box layouts of weir_put_vara: found by this rank's own box; -1 where there is none.
  struct OwnBox {
    Shape shape, start, count;
    auto operator<=>(const OwnBox&) const = default;
  };
  int find(const OwnBox& box) const;
  int add(const OwnBox& box);
  // Those to remove before another one is added: none, or, where there are many, the older half. Alike on all ranks.
  std::vector<int> outdated_boxes() const;

 private:
  Counting counting_;
  int next_ = 0;
  std::map<int, Layout> layouts_;
  std::map<Shape, int> whole_;
  std::map<OwnBox, int> by_box_;
  std::vector<int> ages_;  // of by_box_, the oldest first
};

}  // namespace weir
