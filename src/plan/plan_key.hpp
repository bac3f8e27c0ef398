// SPDX-License-Identifier: Apache-2.0
// The key of a cached plan, and the planner's request if the plan is new. A run (engine/kept_plans.hpp) and the
// simulator keep plans by it. Pure, Local.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "plan/layout.hpp"
#include "plan/strategy.hpp"

namespace weir {

// Layouts are numbered alike on all ranks.
struct PlanKey {
  int layout;
  int element_bytes;
  weir_fill_mode cover;
  PlanPlace place;
  bool read = false;  // ranks need elements, several ranks may need one
  auto operator<=>(const PlanKey&) const = default;
};

// The possible owners of a variable's tiles, on `hosts` hosts; each tile has at least bundle_bytes.
struct Owners {
  const std::vector<int>& ranks;
  int hosts;
  std::int64_t bundle_bytes;
};
// The owners, and the strategy that cuts the variable.
struct Owning {
  const Strategy& strategy;
  Owners owners;
};

// A record of a variable, and its place in the file.
struct PlacedRecord {
  const FileOffsets& file;
  int variable;
  std::int64_t elements;  // of one record
  int element_bytes;
  bool is_record;
  std::int64_t number;
};

// Returns what a plan depends on of a record's place in its file.
PlanPlace place_of(const PlacedRecord& what, const Owning& own, const CutRule& cuts);
// Returns the request for the plan of a key, for arrays like the layout's.
PlanRequest request_of(const PlanKey& key, const Layout& layout, const Owners& owners);

}  // namespace weir
