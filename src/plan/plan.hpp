// SPDX-License-Identifier: Apache-2.0
// One rank's plan of a put or get of one variable: copies, messages and writes, in rounds that each fit its memory. A
// plan is made once for a layout, a strategy and a place in the file, and used every cycle. plan/planner.hpp makes it,
// engine/pending_puts.hpp executes it. Immutable; pure. Positions are in elements, so that one plan serves every type
// of one size.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "plan/copy_program.hpp"
#include "plan/machine.hpp"

namespace weir {

// Elements of the caller's buffer that go to one owner.
struct Outgoing {
  int owner_or_slot = 0;       // the owner's rank, or, where holders are chosen later, the number of the slot
  bool by_message = false;     // this rank cannot access the owner's tile memory
  std::int64_t count = 0;      // elements
  CopyProgram to_tile;         // from the caller's buffer to the tile
  CopyProgram to_packed;       // by message: from the caller's buffer into it, box after box
  CopyProgram unpack_program;  // for slots: from the message to the tile, for the holder
};

// Elements that arrive in a message from one rank.
struct Incoming {
  int source = 0;
  std::int64_t count = 0;
  CopyProgram to_tile;
};

// Elements that are contiguous in the file and in tile memory.
struct Stretch {
  std::int64_t element;  // number in the variable; for part files, in the part file's array
  std::int64_t at;       // in the tile memory of this round
  std::int64_t count;
};

// A part of this rank's tile memory, as a box of the variable, for part files.
struct Region {
  std::vector<std::int64_t> lo;
  std::vector<std::int64_t> hi;
};

// One round of a tile, as the rank that holds it knows it.
struct TilePlan {
  std::vector<Stretch> stretches;  // what the holder writes, in file order
  std::vector<Stretch> fills;      // parts of tile memory that get the fill value
  std::vector<Region> regions;     // contents of tile memory, in order (part files only)
  std::int64_t elements = 0;       // of tile memory
  std::int64_t gap_elements = 0;   // of them, unused: before tiles that begin within a block
};
// What the holder of a slot is to know of its tile.
void fields(auto& archive, Either<TilePlan> auto& tile) {
  archive(tile.elements, tile.stretches, tile.fills);
}

// One round of a plan: a part of the variable that fits into memory.
struct Round {
  std::vector<Outgoing> outgoing;      // by owner, ascending
  std::vector<Incoming> incoming;      // by source, ascending; ranks that cannot access this rank's memory
  TilePlan tile;                       // of this rank, where the plan names the owners
  std::int64_t packed_elements = 0;    // in messages that this rank sends
  std::int64_t received_elements = 0;  // in messages that this rank receives
};

// One round of a slot: a tile whose holder is chosen in each cycle (dynamic).
struct SlotPlan {
  TilePlan tile;
  std::int64_t contributors = 0;       // ranks that hold a part of it
  std::int64_t near_contributors = 0;  // of them, ranks that share memory with this rank
};

// The largest need of any rank for a round, in elements. All ranks reserve it, so that a tile has the same offset on
// every rank, and all end a cycle at the same put.
struct Reserve {
  std::int64_t tile = 0;
  std::int64_t packed = 0;
  std::int64_t received = 0;

  // Includes one rank's need of the round.
  void cover(const Round& round) noexcept {
    tile = std::max(tile, round.tile.elements);
    packed = std::max(packed, round.packed_elements);
    received = std::max(received, round.received_elements);
  }
};

// The costs of a plan, of one rank or summed over all.
struct Summary {
  std::int64_t elements = 0;       // that are put
  std::int64_t between_hosts = 0;  // of them, to an owner on another host
  std::int64_t messages = 0;       // at most one for each round and pair of ranks
  std::int64_t owners = 0;         // ranks that write
  std::int64_t stretches = 0;      // contiguous parts of the file that are written
  std::int64_t filled = 0;         // elements that no rank holds

  void add(const Summary& other) noexcept;
};

struct Plan {
  std::vector<Round> rounds;
  std::vector<Reserve> reserves;  // a round each, agreed by all ranks
  Summary summary;                // over all ranks
  int element_bytes = 0;
  // If the holders of slots are chosen later (dynamic): of each slot, its rounds. The plan's own rounds then have what
  // this rank sends, and no tile.
  std::vector<std::vector<SlotPlan>> slots;
};

// Bytes of memory of a plan or a copy program.
std::int64_t memory_bytes(const Plan& plan) noexcept;
std::int64_t memory_bytes(const CopyProgram& program) noexcept;

// Returns the costs of one rank's part of a plan.
Summary summarize(const Plan& plan, int rank, const Machine& machine);

// Returns the plan as a JSON object: its summary, and for each round this rank's sends, receives, stretches and bytes.
std::string to_json(const Plan& plan, int rank);

// Elements that this rank gets from one owner.
struct ReceiveFromOwner {
  int owner = 0;
  bool by_message = false;  // this rank cannot access the owner's tile memory
  std::int64_t count = 0;   // elements
  CopyProgram program;      // from the tile, or from the message, to the caller's buffer
};

// Elements that this owner sends to one rank.
struct SendToRank {
  int rank = 0;
  std::int64_t count = 0;
  CopyProgram program;  // from the tile to the message
};

// One round of a plan to read.
struct ReadRound {
  std::vector<ReceiveFromOwner> receives;  // by owner, ascending
  std::vector<SendToRank> sends;           // by rank, ascending
  std::vector<Stretch> stretches;          // that this rank reads, in file order
  std::int64_t tile_elements = 0;          // of this rank's tile memory
};

// One rank's plan to read a variable: a plan to write, reversed. An owner reads the stretches that it would write, and
// each rank copies its elements from the tile memory into which it would copy them. It is made from the plan of a put,
// or from a plan for ranks that need elements in common (PlanRequest::read).
struct ReadPlan {
  std::vector<ReadRound> rounds;
  std::vector<Reserve> reserves;  // for each round; packed and received are those of the plan to write
  int element_bytes = 0;
};

// Whether a plan to write can be reversed: it fills nothing, and, if the holders of slots are chosen later, all ranks
// can access every tile (`everybody`); the slots' planning ranks, which know of no messages, then read for the holders.
// The same on all ranks.
bool can_be_read(const Plan& plan, bool everybody) noexcept;

// Returns `rank`'s plan to read. `planning_ranks`: of the slots, if the plan has any.
// Requires: can_be_read().
ReadPlan backwards(const Plan& plan, int rank, std::span<const int> planning_ranks);

std::int64_t memory_bytes(const ReadPlan& plan) noexcept;

}  // namespace weir
