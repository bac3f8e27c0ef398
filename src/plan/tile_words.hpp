// SPDX-License-Identifier: Apache-2.0
// What a holder of a tile must know of it, as words for other ranks: its size, what is written of it, what is filled.
// Pure, Local.
#pragma once

#include "plan/plan.hpp"

namespace weir {

std::vector<std::int64_t> tile_words(const Plan& plan);
// The plan of a slot: rounds that know of their tile only.
Plan tiles_of(const std::vector<std::int64_t>& words, int element_bytes);

// Which slot a rank is the clerk of, by rank; -1: of none. clerks: of each slot.
std::vector<int> slots_by_clerk(const std::vector<int>& clerks, int ranks);

}  // namespace weir
