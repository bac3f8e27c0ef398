// SPDX-License-Identifier: Apache-2.0
// The elements that a rank holds, without what lies between them in its memory: halos, absent elements. A layout's runs
// of memory, and the layout of the same elements when these runs lie one after another. Pure, Local.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/layout.hpp"

namespace weir {

// A run of elements that a rank holds: `length` elements from element `offset` of the model's buffer.
struct HeldRun {
  std::int64_t offset;
  std::int64_t length;
  bool operator==(const HeldRun&) const = default;
};

// Returns the runs of the buffer that hold elements of the array, each as long as it can be, ascending.
std::vector<HeldRun> held_runs(const Layout& layout);

// Returns the layout of the same pieces in a buffer that has the elements of held_runs(), in their order, and no
// others.
Layout compact(const Layout& layout);

}  // namespace weir
