// SPDX-License-Identifier: Apache-2.0
// What a plan is found by among those that are kept, and what is asked of the planner where it is new. A run
// (pipeline/kept_plans.hpp) and the simulator keep plans by it. Pure, Local.
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
  bool read = false;  // for ranks that want elements, several the same one
  auto operator<=>(const PlanKey&) const = default;
};

// Who cuts and owns what of a variable.
struct Owning {
  const Strategy& strategy;
  const std::vector<int>& owners;
  int hosts;
  std::int64_t bundle_bytes;
};

// A record of a variable, and where its file has it.
struct PlacedRecord {
  const FileOffsets& file;
  int variable;
  std::int64_t elements;  // of one record
  int element_bytes;
  bool is_record;
  std::int64_t number;
};

PlanPlace place_of(const PlacedRecord& what, const Owning& own, const CutRule& cuts);
// For the plan of the key, of arrays like those of the layout that it numbers, whose tiles the owners have.
PlanRequest request_of(const PlanKey& key, const Layout& layout, const Owning& own);

}  // namespace weir
