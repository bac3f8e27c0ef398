// SPDX-License-Identifier: Apache-2.0
// Checks that every element of a region is claimed by exactly one rank (contract 1). The planner's directories use it
// (plan/planner.hpp). Pure, Local.
#pragma once

#include <optional>
#include <vector>

#include "plan/box.hpp"

namespace weir {

// What ranks hold of a region: box i belongs to rank ranks[i].
struct Claims {
  explicit Claims(int ndims) : boxes(ndims) {}
  BoxList boxes;
  std::vector<int> ranks;
};

// Two claims that share elements, by number.
struct Overlap {
  int first_claim;
  int second_claim;
};

// The result: the boxes that no rank claims, and an overlap if there is one.
struct Coverage {
  explicit Coverage(int ndims) : holes(ndims) {}
  BoxList holes;
  std::optional<Overlap> overlap;
};

// Whether several ranks may claim an element: for reads.
enum class Sharing { refused, allowed };

// Examines the claims within the region; parts of claims outside it do not count.
Coverage examine(Box region, const Claims& claims, Sharing sharing = Sharing::refused);

}  // namespace weir
