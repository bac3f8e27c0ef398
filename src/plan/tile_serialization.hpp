// SPDX-License-Identifier: Apache-2.0
// Serializes the description of a tile for its holders: its size, what is written of it, what is filled. Pure, Local.
#pragma once

#include "plan/plan.hpp"

namespace weir {

std::vector<std::int64_t> serialize_tiles(const Plan& plan);
// The plan of a slot: rounds that know of their tile only.
Plan deserialize_tiles(const std::vector<std::int64_t>& words, int element_bytes);

// Which slot a rank is the planning rank of, by rank; -1: of none. clerks: of each slot.
std::vector<int> slot_of_planning_rank(const std::vector<int>& planning_ranks, int ranks);

}  // namespace weir
