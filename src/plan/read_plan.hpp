// SPDX-License-Identifier: Apache-2.0
// A plan for reading: one rank's plan of putting a variable, reversed. An owner reads the stretches that it would
// write, and each rank takes its elements from the tile memory into which it would copy them. Made from a plan to write
// (what was planned to be written is planned to be read), or from one that was made for ranks that want elements in
// common (PlanRequest::read). Pure, Local. Positions are in elements, as the plan's.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/copy_program.hpp"
#include "plan/plan.hpp"

namespace weir {

// Elements that this rank takes from one owner.
struct ReceiveFromOwner {
  int owner = 0;
  bool by_message = false;  // the owner's tile memory is out of reach
  std::int64_t count = 0;   // elements
  CopyProgram program;      // to the model's buffer, from the tile or, by message, from that
};

// Elements that this owner sends to one rank.
struct SendToRank {
  int rank = 0;
  std::int64_t count = 0;
  CopyProgram program;  // from the tile to the message
};

struct ReadRound {
  std::vector<ReceiveFromOwner> receives;        // by owner, ascending
  std::vector<SendToRank> sends;        // by rank, ascending
  std::vector<Stretch> stretches;  // what this rank reads, in file order
  std::int64_t tile_elements = 0;  // of this rank's tile memory
};

struct ReadPlan {
  std::vector<ReadRound> rounds;
  std::vector<Reserve> reserves;  // a round each; packed and received are those of the plan to write
  int element_bytes = 0;
};

// Whether a plan to write can be read by: it fills nothing, which no rank has to read, and, where the holders of slots are chosen later, `everybody` reaches every tile: a reader then takes the slots' planning ranks for their holders, who know of
// no messages. Alike on all ranks.
bool can_be_read(const Plan& plan, bool everybody) noexcept;

// `rank`'s plan. `planning_ranks`: of its slots, where it has any.
ReadPlan backwards(const Plan& plan, int rank, std::span<const int> planning_ranks);

std::int64_t memory_bytes(const ReadPlan& plan) noexcept;

}  // namespace weir
