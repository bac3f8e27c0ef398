// SPDX-License-Identifier: Apache-2.0
// Lays out an owner's tile memory, and turns its offsets into copy programs for owners and claimants. The planner calls
// it (plan/planner.hpp). Positions are elements from the beginning of the round's tile memory. Pure, Local.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "plan/coverage.hpp"
#include "plan/layout.hpp"
#include "plan/plan.hpp"
#include "plan/strategy.hpp"

namespace weir {

// Where a box goes: the position of its first element, and the distances between neighbours along each dimension.
struct Placement {
  std::int64_t at;
  std::vector<std::int64_t> strides;
};

// A tile as its owner knows it.
struct OwnedTile {
  explicit OwnedTile(int ndims) : claims(ndims), holes(ndims) {}
  Claims claims;
  BoxList holes;  // elements that no rank claims and that this owner fills
};

// Appends tiles to one round's tile memory. The methods return the placements of the tile's claims, in their order.
class TileMemory {
 public:
  TileMemory(Shape space, weir_fill_mode cover, TilePlan& tile);

  // Adds elements [first, last) of the variable; they lie in memory as in the file.
  std::vector<Placement> add_range(std::int64_t first, std::int64_t last, const OwnedTile& tile);
  // Adds a tile to read, from the first claimed element to the last. A gap of fewer than `gap` elements is read with
  // its neighbours.
  std::vector<Placement> add_wanted(std::int64_t first, std::int64_t last, const OwnedTile& tile, std::int64_t gap);
  // Adds the union of the claims: as one box if it is one; as sorted runs if the space has one dimension; else box by
  // box.
  std::vector<Placement> add_group(const OwnedTile& tile);
  // Adds a tile to read whose claims may overlap: the box around them, if it is not larger than they are together; else
  // as add_wanted().
  std::vector<Placement> add_wanted_group(const OwnedTile& tile, std::int64_t gap);
  // Adds holes to be filled; nothing if the cover leaves holes.
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
  TilePlan& tile_;
};

// Sorts by offset in the file, and joins stretches that continue each other in the file and in memory.
void sort_and_join(std::vector<Stretch>& stretches);

// Returns the slot of which each rank is the planning rank; -1: none. `planning_ranks`: of each slot.
std::vector<int> slot_of_planning_rank(const std::vector<int>& planning_ranks, int ranks);

// A box that is part of one piece of a layout. The description of such a box becomes the copy that its claimant makes,
// and the one that its owner makes. A message has its boxes one after another, each in its own order, so both sides
// know the order without a message.
struct BufferBox {
  const Layout& layout;
  std::size_t piece;
  Box box;
};

// Adds the claimant's copy: into the owner's tile memory if it is `reachable`, else into the message.
void add_outgoing(Round& round, int owner, const BufferBox& held, const Placement& place, bool reachable);

// Adds the claimant's copies if the holder is chosen later: into tile memory and, if a holder may be out of reach, into
// a message, with the unpack program for its receiver.
void add_open(Round& round, int planning_rank, const BufferBox& held, const Placement& place, bool messages);

// Adds the owner's copy from a message.
void add_incoming(Round& round, int source, Box box, const Placement& place);

}  // namespace weir
