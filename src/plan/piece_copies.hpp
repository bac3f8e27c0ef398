// SPDX-License-Identifier: Apache-2.0
// Turns tile offsets into copy programs: the description of a box that one rank holds and another owns becomes the copy
// that each of the two makes. A message holds its boxes one after another, each in its own order, so both sides agree
// on it without a message. Pure, Local.
#pragma once

#include "plan/layout.hpp"
#include "plan/plan.hpp"
#include "plan/tile_memory.hpp"

namespace weir {

// A box that is part of one piece of a layout.
struct BufferBox {
  const Layout& layout;
  std::size_t piece;
  Box box;
};

// The sender's side. `reachable`: straight to its place in the owner's tile memory; else into the message.
void add_outgoing(Round& round, int owner, const BufferBox& held, const Placement& place, bool reachable);

// The sender's side where the owner is known later: the copy to its place and, where an owner may be out of reach, the
// copy into a message with the unpack program for who receives it.
void add_open(Round& round, int planning_rank, const BufferBox& held, const Placement& place, bool messages);

// The owner's side of what comes in a message.
void add_incoming(Round& round, int source, Box box, const Placement& place);

}  // namespace weir
