// SPDX-License-Identifier: Apache-2.0
// The layouts of one instance, numbered from 0 alike on all ranks; a number is never used again.
#pragma once

#include <map>
#include <vector>

#include "plan/layout.hpp"

namespace weir {

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
