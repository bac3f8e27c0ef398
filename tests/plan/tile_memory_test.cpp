// SPDX-License-Identifier: Apache-2.0
// Tile memory: where claimed boxes go, what is contiguous in the file, what is filled.
#include "plan/tile_memory.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "random_layouts.hpp"

namespace weir {
namespace {

// Tile memory by element number of the variable: -1 where nothing was placed, -2 where it is filled.
using Memory = std::vector<std::int64_t>;

Memory contents(const TilePlan& planned, const BoxList& boxes, const std::vector<Placement>& places,
                const Shape& shape) {
  Memory memory(static_cast<std::size_t>(planned.elements), -1);
  for (std::size_t b = 0; b < boxes.size(); ++b) {
    const Box box = boxes[b];
    const auto stride = strides(shape);
    reference::for_each_element(box, shape, [&](std::int64_t element) {
      std::int64_t at = places[b].at;
      for (std::size_t d = 0; d < shape.size(); ++d)
        at += (element / stride[d] % shape[d] - box.lo[d]) * places[b].strides[d];
      RC_ASSERT(memory.at(static_cast<std::size_t>(at)) == -1);
      memory[static_cast<std::size_t>(at)] = element;
    });
  }
  for (const Stretch& fill : planned.fills)
    for (std::int64_t i = 0; i < fill.count; ++i) {
      RC_ASSERT(memory.at(static_cast<std::size_t>(fill.at + i)) == -1);
      memory[static_cast<std::size_t>(fill.at + i)] = -2;
    }
  return memory;
}

// What the stretches write: by element of the variable, -1 where nothing is written.
Memory written(const TilePlan& planned, const Memory& memory, const Shape& shape) {
  Memory file(static_cast<std::size_t>(elements(shape)), -1);
  for (const Stretch& stretch : planned.stretches)
    for (std::int64_t i = 0; i < stretch.count; ++i) {
      const auto element = static_cast<std::size_t>(stretch.element + i);
      RC_ASSERT(file.at(element) == -1);
      file[element] = memory.at(static_cast<std::size_t>(stretch.at + i));
    }
  return file;
}

struct TileCase {
  TileCase()
      : shape(reference::random_shape(*rc::gen::inRange(1, 5), 400)),
        random(reference::random_source()),
        tile(static_cast<int>(shape.size())),
        expected(static_cast<std::size_t>(elements(shape)), -1) {}

  // Boxes that tile [first, last) of the variable, some of them held by nobody.
  void draw_range(std::int64_t first, std::int64_t last, int hole_in) {
    BoxList range(static_cast<int>(shape.size()));
    range_boxes(shape, first, last, range);
    const BoxList boxes = reference::irregular_boxes(shape, 12, random);
    for (std::size_t b = 0; b < boxes.size(); ++b) {
      const bool hole = hole_in > 0 && reference::draw(random, 0, hole_in) == 0;
      for (std::size_t r = 0; r < range.size(); ++r) {
        const std::size_t before = tile.claims.boxes.size();
        intersect(boxes[b], range[r], hole ? tile.holes : tile.claims.boxes);
        tile.claims.ranks.resize(tile.claims.boxes.size(), static_cast<int>(b));
        for (std::size_t i = before; i < tile.claims.boxes.size(); ++i)
          reference::for_each_element(tile.claims.boxes[i], shape,
                                      [&](std::int64_t e) { expected[static_cast<std::size_t>(e)] = e; });
      }
    }
  }
  void expect_filled_holes() {
    for (std::size_t i = 0; i < tile.holes.size(); ++i)
      reference::for_each_element(tile.holes[i], shape,
                                  [&](std::int64_t e) { expected[static_cast<std::size_t>(e)] = -2; });
  }

  Shape shape;
  reference::Random random;
  OwnedTile tile;
  Memory expected;
  TilePlan planned;
};

RC_GTEST_PROP(TileMemory, RangeLiesAsInTheFile, ()) {
  TileCase c;
  const auto first = *rc::gen::inRange<std::int64_t>(0, elements(c.shape));
  const auto last = *rc::gen::inRange<std::int64_t>(first + 1, elements(c.shape) + 1);
  const auto cover = *rc::gen::element(WEIR_FILL, WEIR_NOFILL);
  c.draw_range(first, last, 4);
  if (cover == WEIR_FILL) c.expect_filled_holes();
  TileMemory memory(c.shape, cover, c.planned);
  const auto places = memory.add_range(first, last, c.tile);
  RC_ASSERT(c.planned.elements == last - first);
  RC_ASSERT(written(c.planned, contents(c.planned, c.tile.claims.boxes, places, c.shape), c.shape) == c.expected);
  if (cover == WEIR_FILL) RC_ASSERT(c.planned.stretches.size() == 1U);
}

RC_GTEST_PROP(TileMemory, RangesFollowEachOther, ()) {
  TileCase c;
  TileMemory memory(c.shape, WEIR_FILL, c.planned);
  const std::int64_t middle = *rc::gen::inRange<std::int64_t>(0, elements(c.shape));
  std::vector<Placement> places;
  BoxList all(static_cast<int>(c.shape.size()));
  for (const auto& [first, last] : {std::pair(middle, elements(c.shape)), std::pair(std::int64_t{0}, middle)}) {
    c.tile = OwnedTile(static_cast<int>(c.shape.size()));
    c.draw_range(first, last, 0);
    const auto more = memory.add_range(first, last, c.tile);
    places.insert(places.end(), more.begin(), more.end());
    all.add_bounds(c.tile.claims.boxes.bounds());
  }
  RC_ASSERT(c.planned.elements == elements(c.shape));
  RC_ASSERT(written(c.planned, contents(c.planned, all, places, c.shape), c.shape) == c.expected);
}

// The union of a group, whatever its form, is written whole and described by regions in the memory's order.
RC_GTEST_PROP(TileMemory, GroupIsWrittenWholeAndDescribed, ()) {
  TileCase c;
  c.draw_range(0, elements(c.shape), *rc::gen::element(0, 3));
  RC_PRE(!c.tile.claims.boxes.empty());  // a group is known by its claims
  TileMemory memory(c.shape, WEIR_FILL, c.planned);
  const auto places = memory.add_group(c.tile);
  const Memory held = contents(c.planned, c.tile.claims.boxes, places, c.shape);
  RC_ASSERT(c.planned.elements == c.tile.claims.boxes.volume());
  RC_ASSERT(written(c.planned, held, c.shape) == c.expected);
  Memory described;
  for (const Region& region : c.planned.regions)
    reference::for_each_element(Box{region.lo, region.hi}, c.shape, [&](std::int64_t e) { described.push_back(e); });
  RC_ASSERT(described == held);
}

TEST(TileMemory, GroupThatIsOneBoxIsOneRegion) {
  const Shape shape{6, 8};
  OwnedTile tile(2);
  const auto blocks = reference::regular_blocks({6, 4}, {2, 2});
  for (std::size_t b = 0; b < 4; ++b) {
    tile.claims.boxes.add(blocks[b]);
    tile.claims.ranks.push_back(static_cast<int>(b));
  }
  TilePlan planned;
  const auto places = TileMemory(shape, WEIR_FILL, planned).add_group(tile);
  ASSERT_EQ(planned.regions.size(), 1U);
  EXPECT_EQ(planned.regions[0].hi, (Shape{6, 4}));
  EXPECT_EQ(planned.stretches.size(), 6U);
  EXPECT_EQ(places[1].at, 2);
  EXPECT_EQ(places[1].strides, (Shape{4, 1}));
}

TEST(TileMemory, RunsThatContinueEachOtherAreOneRegion) {
  OwnedTile tile(1);
  for (const std::int64_t lo : {6, 0, 3, 20}) {
    tile.claims.boxes.add(Shape{lo}, Shape{lo + 3});
    tile.claims.ranks.push_back(0);
  }
  TilePlan planned;
  const auto places = TileMemory(Shape{40}, WEIR_FILL, planned).add_group(tile);
  ASSERT_EQ(planned.regions.size(), 2U);
  EXPECT_EQ(planned.regions[0].hi, Shape{9});
  EXPECT_EQ(planned.regions[1].lo, Shape{20});
  EXPECT_EQ(places[0].at, 6);
  EXPECT_EQ(places[1].at, 0);
}

RC_GTEST_PROP(TileMemory, HolesAreFilledWhereTheCoverSaysSo, ()) {
  TileCase c;
  c.draw_range(0, elements(c.shape), 2);
  TilePlan unfilled;
  TileMemory(c.shape, WEIR_NOFILL, unfilled).add_holes(c.tile.holes);
  RC_ASSERT(unfilled.elements == 0 && unfilled.stretches.empty() && unfilled.fills.empty());
  TileMemory(c.shape, WEIR_FILL, c.planned).add_holes(c.tile.holes);
  Memory expected(c.expected.size(), -1);
  std::swap(expected, c.expected);
  c.expect_filled_holes();
  RC_ASSERT(c.planned.elements == c.tile.holes.volume());
  RC_ASSERT(written(c.planned, contents(c.planned, BoxList(1), {}, c.shape), c.shape) == c.expected);
}

RC_GTEST_PROP(SortAndJoin, MeansTheSameAndLeavesNothingToJoin, ()) {
  auto random = reference::random_source();
  const auto count = *rc::gen::inRange<std::int64_t>(0, 30);
  std::vector<Stretch> stretches;
  std::int64_t element = 0, at = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    element += reference::draw(random, 0, 2) * 3;
    at += reference::draw(random, 0, 2);
    stretches.push_back({element, at, reference::draw(random, 1, 4)});
    element += stretches.back().count;
    at += stretches.back().count;
  }
  const auto pairs = [](const std::vector<Stretch>& list) {
    std::vector<std::pair<std::int64_t, std::int64_t>> all;
    for (const Stretch& s : list)
      for (std::int64_t i = 0; i < s.count; ++i) all.emplace_back(s.element + i, s.at + i);
    return all;
  };
  const auto expected = pairs(stretches);
  std::shuffle(stretches.begin(), stretches.end(), random);
  sort_and_join(stretches);
  RC_ASSERT(pairs(stretches) == expected);
  for (std::size_t i = 1; i < stretches.size(); ++i) {
    const Stretch &a = stretches[i - 1], &b = stretches[i];
    RC_ASSERT(a.element + a.count != b.element || a.at + a.count != b.at);
  }
}

}  // namespace
}  // namespace weir
