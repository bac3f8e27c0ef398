// SPDX-License-Identifier: Apache-2.0
// Lays out an owner's tile memory: the position of each claimed box, the stretches that are contiguous in the file, the
// elements to fill. Pure, Local. Positions are elements from the beginning of the round's tile memory.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "plan/coverage.hpp"
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

}  // namespace weir
