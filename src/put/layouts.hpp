// SPDX-License-Identifier: Apache-2.0
// The layouts of one Weir, numbered from 0 alike on all ranks.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "plan/layout.hpp"

namespace weir {

class Layouts {
 public:
  // Local, but called alike on all ranks, so that numbers agree.
  int add(Layout layout);
  void remove(int number);
  // Throws Error(WEIR_EARGUMENT) where there is none of this number.
  const Layout& at(int number) const;

  // The layout in which rank 0 alone holds all of an array of `shape`. Local.
  int whole_on_rank_0(IndexView shape, int rank);

  // The box layouts of weir_put_vara: found by this rank's own box; -1 where there is none.
  struct OwnBox {
    Shape shape, start, count;
    auto operator<=>(const OwnBox&) const = default;
  };
  int find(const OwnBox& box) const;
  int add(const OwnBox& box);
  // How many of these there are, and the oldest.
  std::size_t own_boxes() const noexcept { return ages_.size(); }
  int oldest_own_box() const { return ages_.front(); }

 private:
  std::vector<std::optional<Layout>> layouts_;
  std::map<Shape, int> whole_;
  std::map<OwnBox, int> by_box_;
  std::vector<int> ages_;
};

}  // namespace weir
