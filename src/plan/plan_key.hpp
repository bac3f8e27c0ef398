// SPDX-License-Identifier: Apache-2.0
// The key by which a plan is cached, and the request to the planner if it is new. A run (engine/kept_plans.hpp) and
// the simulator keep plans by it. Pure, Local.
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

// Who may own a part of a variable: ranks of so many hosts, each for no less than a bundle.
struct Owners {
  const std::vector<int>& ranks;
  int hosts;
  std::int64_t bundle_bytes;
};
// And by which strategy it is cut.
struct Owning {
  const Strategy& strategy;
  Owners owners;
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
PlanRequest request_of(const PlanKey& key, const Layout& layout, const Owners& owners);

}  // namespace weir
