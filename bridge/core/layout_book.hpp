// SPDX-License-Identifier: Apache-2.0
// The layouts of an instance, found by the part of a variable that this rank holds. A call of the underlying library
// names its part anew each time; a model names the same parts step after step, and gets the same layout and with it the
// same plan. Layouts are numbered alike on all ranks, so two ranks agree on a number if each rank's part is the one for
// which the layout was made.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <unordered_set>
#include <vector>

#include "plan/box.hpp"

namespace weir {
class Instance;
}

namespace weir::bridge {

struct Share;

// Elements start, start + stride, ... of each dimension; stride empty: all ones.
struct Slab {
  Shape start, count, stride;
  std::int64_t elements() const noexcept { return weir::elements(count); }
};

class LayoutBook {
 public:
  explicit LayoutBook(Instance& weir) : weir_(weir) {}

  // What this rank holds of an array of `shape`: slabs, in memory one after another, as words to find it by.
  using SlabWords = std::vector<std::int64_t>;
  static SlabWords part(IndexView shape, std::span<const Slab> slabs);

  // -1 where there is none. Local.
  int find(const SlabWords& part) const;
  // Whether one of these shares has no layout, and was not asked for here before. Local.
  bool never_seen(std::span<const Share> shares);
  // A new layout of `shape` in which this rank holds the slabs (none: nothing). Collective; throws Error, the same on
  // all ranks, where a rank's slabs cannot be (they repeat an element, for instance).
  int define(IndexView shape, std::span<const Slab> slabs);
  // The same where ranks hold the same elements: of ranks with equal slabs the first one holds them. Collective.
  int define_once_each(IndexView shape, std::span<const Slab> slabs);
  // In this layout another rank holds what this one puts. Local.
  bool yields(int layout) const { return yielded_.contains(layout); }
  // In this layout ranks hold the same elements, and nothing can be done about it. Called alike on all ranks.
  void give_up(int layout) { hopeless_.insert(layout); }
  bool hopeless(int layout) const { return hopeless_.contains(layout); }

 private:
  int add(IndexView shape, std::span<const Slab> slabs, bool hold);
  void forget_oldest();

  Instance& weir_;
  std::map<SlabWords, int> numbers_;
  std::map<int, SlabWords> parts_;          // of the same, oldest first
  std::unordered_set<std::uint64_t> seen_;  // signatures of parts without a layout
  std::set<int> hopeless_;
  std::set<int> yielded_;
};

}  // namespace weir::bridge
