// SPDX-License-Identifier: Apache-2.0
// One rank's plan of putting one variable: what it sends, receives and writes, in rounds that each fit its memory.
// Immutable once made; made once for a layout, a strategy and a position in the file, and used every cycle. Positions
// in tiles and packed pieces are in elements, so that one plan serves every type of one size.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plan/copy_program.hpp"
#include "plan/machine.hpp"

namespace weir {

// Elements of the model's buffer that go to one owner.
struct Outgoing {
  int owner = 0;               // a rank; where the holders of slots are chosen later, the number of the slot
  bool by_message = false;     // the owner's tile memory is out of reach
  std::int64_t count = 0;      // elements
  CopyProgram to_tile;         // from the model's buffer straight to its place
  CopyProgram to_packed;       // by message: from the model's buffer into it, box after box
  CopyProgram unpack_program;  // where slots are held by the rank that comes: from the message to its place, for who
                               // receives it
};

// Elements that arrive in a message from one rank.
struct Incoming {
  int source = 0;
  std::int64_t count = 0;
  CopyProgram to_tile;
};

// Elements that are contiguous in the file and in the tile memory.
struct Stretch {
  std::int64_t element;  // of the variable (of the part file's array for strategies that write part files)
  std::int64_t at;       // in the tile memory of this round
  std::int64_t count;
};

// A part of this rank's tile memory, as a box of the variable: what a part file says of itself.
struct Region {
  std::vector<std::int64_t> lo;
  std::vector<std::int64_t> hi;
};

struct Round {
  std::vector<Outgoing> outgoing;      // by owner, ascending
  std::vector<Incoming> incoming;      // by source, ascending; only of ranks that cannot reach this rank's memory
  std::vector<Stretch> stretches;      // what this rank writes, in file order
  std::vector<Stretch> fills;          // parts of the tile memory that no rank holds: the fill value goes there
  std::vector<Region> regions;         // what the tile memory holds, in its order (part files only)
  std::int64_t tile_elements = 0;      // of this rank's tile memory
  std::int64_t gap_elements = 0;       // of them, before tiles that begin at a remainder of a block: they hold nothing
  std::int64_t packed_elements = 0;    // in messages this rank sends
  std::int64_t received_elements = 0;  // in messages this rank receives
  std::int64_t contributors = 0;       // of a slot: ranks that hold a part of it
  std::int64_t near_contributors = 0;  // of them, ranks whose memory this rank shares
};

// What all ranks know of a round: the largest need of any rank, in elements. Memory is reserved by these, so that every
// rank finds every other's tile at the same place and all begin to write at the same put.
struct Reserve {
  std::int64_t tile = 0;
  std::int64_t packed = 0;
  std::int64_t received = 0;

  // One rank's need of the round.
  void cover(const Round& round) noexcept {
    tile = std::max(tile, round.tile_elements);
    packed = std::max(packed, round.packed_elements);
    received = std::max(received, round.received_elements);
  }
};

// What a plan costs, of one rank or summed over all.
struct Summary {
  std::int64_t elements = 0;       // handed over
  std::int64_t between_hosts = 0;  // of them to an owner on another host: they cross a network card
  std::int64_t messages = 0;       // a round and pair of ranks at the most
  std::int64_t owners = 0;         // ranks that write
  std::int64_t stretches = 0;      // of the file that are written, each contiguous
  std::int64_t filled = 0;         // elements that no rank holds

  void add(const Summary& other) noexcept;
};

struct Plan {
  std::vector<Round> rounds;
  std::vector<Reserve> reserves;  // a round each, agreed by all ranks
  Summary summary;                // over all ranks
  int element_bytes = 0;
  // Where the holders of slots are chosen later (dynamic): what a holder of each needs to know. The rounds of the plan
  // itself then hold what this rank sends, and nothing of tiles.
  std::vector<Plan> slots;
};

// Memory that a plan, or a copy program, takes. Pure, Local.
std::int64_t memory_bytes(const Plan& plan) noexcept;
std::int64_t memory_bytes(const CopyProgram& program) noexcept;

// What one rank's part of a plan costs. Pure, Local.
Summary summarize(const Plan& plan, int rank, const Machine& machine);

// The plan as a JSON object: its summary, and by round this rank's sends, receives, stretches and bytes.
std::string to_json(const Plan& plan, int rank);

// A plan for reading: one rank's plan of putting a variable, reversed. An owner reads the stretches that it would
// write, and each rank takes its elements from the tile memory into which it would copy them. Made from a plan to write
// (what was planned to be written is planned to be read), or from one that was made for ranks that want elements in
// common (PlanRequest::read). Pure, Local. Positions are in elements, as the plan's.

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
  std::vector<ReceiveFromOwner> receives;  // by owner, ascending
  std::vector<SendToRank> sends;           // by rank, ascending
  std::vector<Stretch> stretches;          // what this rank reads, in file order
  std::int64_t tile_elements = 0;          // of this rank's tile memory
};

struct ReadPlan {
  std::vector<ReadRound> rounds;
  std::vector<Reserve> reserves;  // a round each; packed and received are those of the plan to write
  int element_bytes = 0;
};

// Whether a plan to write can be read by: it fills nothing, which no rank has to read, and, where the holders of slots
// are chosen later, `everybody` reaches every tile: a reader then takes the slots' planning ranks for their holders,
// who know of no messages. Alike on all ranks.
bool can_be_read(const Plan& plan, bool everybody) noexcept;

// `rank`'s plan. `planning_ranks`: of its slots, where it has any.
ReadPlan backwards(const Plan& plan, int rank, std::span<const int> planning_ranks);

std::int64_t memory_bytes(const ReadPlan& plan) noexcept;

}  // namespace weir
