// SPDX-License-Identifier: Apache-2.0
// Checks that every element of a region is claimed by exactly one rank (contract 1). Finds the first element claimed
// twice, where that is refused, and the boxes that no rank claims. Pure, Local.
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

struct Overlap {
  int first_claim;  // numbers of two claims that share elements
  int second_claim;
};

struct Coverage {
  explicit Coverage(int ndims) : holes(ndims) {}
  BoxList holes;
  std::optional<Overlap> overlap;
};

// Whether an element may be claimed by several ranks: those that read it.
enum class Sharing { refused, allowed };

// Claims may reach beyond the region; what is outside it is not looked at.
Coverage examine(Box region, const Claims& claims, Sharing sharing = Sharing::refused);

}  // namespace weir
