// SPDX-License-Identifier: Apache-2.0
// Lays out an owner's tile memory: the position of each claimed box, the stretches that are contiguous in the file, the
// elements to fill. Pure, Local. Positions are elements from the beginning of the round's tile memory.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "plan/coverage.hpp"
#include "plan/layout.hpp"
#include "plan/plan.hpp"
#include "plan/strategy.hpp"

namespace weir {

// Where a box goes: the place of its first element and the distance between neighbours along each dimension.
struct Placement {
  std::int64_t at;
  std::vector<std::int64_t> strides;
};

// A tile as its owner knows it.
struct OwnedTile {
  explicit OwnedTile(int ndims) : claims(ndims), holes(ndims) {}
  Claims claims;
  BoxList holes;  // elements that no rank claims and that this owner answers for
};

// Appends tiles to one round's tile memory.
class TileMemory {
 public:
  TileMemory(Shape space, weir_fill_mode cover, Round& round);

  // Elements [first, last) of the variable: they lie in the memory as in the file.
  std::vector<Placement> add_range(std::int64_t first, std::int64_t last, const OwnedTile& tile);
  // The same of a tile to read: from the first element that is claimed to the last one. Fewer than `gap` elements that
  // no rank claims are read with those around them.
  std::vector<Placement> add_wanted(std::int64_t first, std::int64_t last, const OwnedTile& tile, std::int64_t gap);
  // The union of the claims: as one box if it is one; as sorted runs if the space has one dimension; else box by box.
  std::vector<Placement> add_group(const OwnedTile& tile);
  // The same of a tile to read, whose claims may overlap: the box around them, where that is not larger than they are
  // together, else as add_wanted().
  std::vector<Placement> add_wanted_group(const OwnedTile& tile, std::int64_t gap);
  // Holes alone, to be filled. Nothing where the cover says that holes are left.
  void add_holes(const BoxList& holes);

 private:
  std::vector<Placement> places_in_range(std::int64_t base, const Claims& claims) const;
  std::pair<Shape, Shape> bounds_of(const BoxList& boxes) const;
  std::vector<Placement> add_around(const BoxList& boxes, Box bounds);
  void add_near(std::int64_t first, std::int64_t last, const std::vector<Stretch>& wanted, std::int64_t gap);
  std::vector<Stretch> sorted_rows(const BoxList& boxes) const;
  void add_between(std::int64_t first, std::int64_t last, const std::vector<Stretch>& holes);
  Placement add_region(Box box);
  std::vector<Placement> add_runs(const Claims& claims);
  void write_rows(Box box, std::int64_t at, std::vector<Stretch>& out) const;

  Shape space_;
  std::vector<std::int64_t> strides_;
  weir_fill_mode cover_;
  Round& round_;
};

// Sorted by place in the file; what continues the one before it in the file and in memory is joined to it.
void sort_and_join(std::vector<Stretch>& stretches);

// Serializes the description of a tile for its holders: its size, what is written of it, what is filled. Pure, Local.

std::vector<std::int64_t> serialize_tiles(const Plan& plan);
// The plan of a slot: rounds that know of their tile only.
Plan deserialize_tiles(const std::vector<std::int64_t>& words, int element_bytes);

// Which slot a rank is the planning rank of, by rank; -1: of none. clerks: of each slot.
std::vector<int> slot_of_planning_rank(const std::vector<int>& planning_ranks, int ranks);

// Turns tile offsets into copy programs: the description of a box that one rank holds and another owns becomes the copy
// that each of the two makes. A message holds its boxes one after another, each in its own order, so both sides agree
// on it without a message. Pure, Local.

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
