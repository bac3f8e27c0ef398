// SPDX-License-Identifier: Apache-2.0
// What a plan costs each rank: the plan of a run without its copy programs and extents, of which tens of thousands of
// ranks would need gigabytes. It is made by the library's planner (plan/planner.hpp), rank after rank: a planner is
// made for each step, does it, and goes; messages are all that is kept between steps. Pure, Local.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/planner.hpp"
#include "simulate/workload.hpp"

namespace weir::simulate {

// Elements that a rank hands to an owner (under the scheduler: to a slot).
struct Piece {
  int owner;
  bool by_message;  // where owners are fixed
  std::int64_t elements;
};

// What an owner (or the rank that takes the slot) writes of a round.
struct TileCost {
  int owner;  // or number of the slot
  std::int64_t elements;
  std::int64_t stretches;    // contiguous in the file
  std::int64_t first, last;  // elements of the variable: the first, and one past the last
  std::int64_t received;     // elements that come by message, where owners are fixed
};

struct RoundCost {
  std::vector<std::uint32_t> first_piece;  // of each rank, and one past the last rank's
  std::vector<Piece> pieces;
  std::vector<std::int64_t> held;  // elements that each rank hands over: the sum of its pieces
  std::vector<TileCost> tiles;     // by owner, ascending

  std::span<const Piece> pieces_of(int rank) const noexcept {
    const auto at = static_cast<std::size_t>(rank);
    return std::span(pieces).subspan(first_piece[at], first_piece[at + 1] - first_piece[at]);
  }
  // nullptr where there is none.
  const TileCost* tile_of(int owner) const noexcept;
};

struct PlanCost {
  std::vector<RoundCost> rounds;
  std::vector<Reserve> reserves;  // a round each: the largest need of any rank
  int element_bytes = 0;
};

struct PlanInputs {
  const Machine& machine;
  const Strategy& strategy;
  const PlanRequest& request;
  const Decomposition& decomposition;
  int model_ranks;  // the first ones; the others hold nothing
  bool shared_memory;
  bool open_slots;
};

// Throws what a planner finds wrong.
PlanCost plan_costs(const PlanInputs& inputs);

}  // namespace weir::simulate
