// SPDX-License-Identifier: Apache-2.0
// Pieces of records: later values take the place of earlier ones, whatever their bounds.
#include "core/record_pieces.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace weir::bridge {
namespace {

const RecordPieces::Where where{3, 7};

std::vector<std::byte> bytes(std::size_t count, int value) {
  return std::vector<std::byte>(count, static_cast<std::byte>(value));
}

TEST(RecordPieces, KeepsWhatIsAddedInOrder) {
  RecordPieces pieces;
  EXPECT_FALSE(pieces.holds(where));
  EXPECT_EQ(pieces.elements(where), 0);
  const std::vector<Slab> first{{{0, 0}, {1, 4}, {}}, {{2, 0}, {1, 2}, {}}};
  pieces.add(where, first, bytes(24, 1), 4);
  pieces.add(where, std::vector<Slab>{{{1, 0}, {1, 4}, {}}}, bytes(16, 2), 4);
  EXPECT_EQ(pieces.elements(where), 10);
  EXPECT_EQ(pieces.bytes(), 40);
  EXPECT_EQ(pieces.at(where).slabs.size(), 3U);
  EXPECT_EQ(pieces.at(where).values.front(), std::byte{1});
  EXPECT_EQ(pieces.at(where).values.back(), std::byte{2});
  pieces.drop(where);
  EXPECT_TRUE(pieces.empty());
  EXPECT_EQ(pieces.bytes(), 0);
}

TEST(RecordPieces, TakesOutWhatIsPutLater) {
  RecordPieces pieces;
  const std::vector<Slab> slabs{{{0}, {2}, {}}, {{4}, {2}, {}}}, later{{{4}, {2}, {}}};
  pieces.add(where, slabs, bytes(4, 1), 1);
  pieces.take_out(where, later[0], 1);
  pieces.add(where, later, bytes(2, 9), 1);
  EXPECT_EQ(pieces.elements(where), 4);
  EXPECT_EQ(pieces.at(where).values, (std::vector<std::byte>{std::byte{1}, std::byte{1}, std::byte{9}, std::byte{9}}));
  pieces.take_out(where, slabs[0], 1);
  EXPECT_EQ(pieces.elements(where), 2);
  EXPECT_EQ(pieces.at(where).values, bytes(2, 9));
  EXPECT_EQ(pieces.bytes(), 2);
}

// Each element of a slab of 5 x 7 holds its number: whatever is taken out, the others stay with theirs.
TEST(RecordPieces, WhatOverlapsInPartKeepsTheRest) {
  const std::vector<Slab> kept{{{0, 0}, {5, 7}, {}}};
  std::vector<std::byte> numbers(35);
  for (std::size_t i = 0; i < 35; ++i) numbers[i] = static_cast<std::byte>(i);
  const std::vector<Slab> gone{{{1, 2}, {2, 3}, {}},     {{0, 0}, {5, 7}, {}}, {{4, 6}, {3, 3}, {}},
                               {{0, 1}, {3, 3}, {2, 2}}, {{5, 0}, {1, 7}, {}}, {{2, 0}, {1, 7}, {}}};
  for (const Slab& slab : gone) {
    RecordPieces pieces;
    pieces.add(where, kept, numbers, 1);
    pieces.take_out(where, slab, 1);
    std::vector<int> found(35, -1);
    const auto& [slabs, values] = pieces.at(where);
    std::size_t next = 0;
    for (const Slab& piece : slabs)
      for (std::int64_t y = 0; y < piece.count[0]; ++y)
        for (std::int64_t x = 0; x < piece.count[1]; ++x)
          found[static_cast<std::size_t>((piece.start[0] + y) * 7 + piece.start[1] + x)] =
              static_cast<int>(values[next++]);
    EXPECT_EQ(next, values.size());
    EXPECT_EQ(pieces.bytes(), std::ssize(values));
    const std::int64_t step = slab.stride.empty() ? 1 : 2;
    for (std::int64_t y = 0; y < 5; ++y)
      for (std::int64_t x = 0; x < 7; ++x) {
        const std::int64_t down = y - slab.start[0], right = x - slab.start[1];
        const bool is_gone = down >= 0 && right >= 0 && down % step == 0 && right % step == 0 &&
                             down / step < slab.count[0] && right / step < slab.count[1];
        EXPECT_EQ(found[static_cast<std::size_t>(y * 7 + x)], is_gone ? -1 : y * 7 + x);
      }
  }
}

// Where it says no there is no common element, by looking at all of them.
TEST(RecordPieces, MayMeetMissesNothing) {
  const auto elements = [](const Slab& slab) {
    std::vector<std::int64_t> all;
    for (std::int64_t i = 0; i < slab.count[0]; ++i)
      for (std::int64_t j = 0; j < slab.count[1]; ++j)
        all.push_back((slab.start[0] + i * (slab.stride.empty() ? 1 : slab.stride[0])) * 100 + slab.start[1] +
                      j * (slab.stride.empty() ? 1 : slab.stride[1]));
    return all;
  };
  const std::vector<Slab> slabs{{{0, 0}, {3, 3}, {}},     {{0, 0}, {4, 2}, {2, 3}}, {{1, 0}, {3, 2}, {2, 3}},
                                {{3, 0}, {1, 9}, {}},     {{0, 1}, {2, 2}, {3, 3}}, {{2, 2}, {1, 1}, {}},
                                {{0, 2}, {4, 3}, {1, 2}}, {{6, 6}, {2, 2}, {}}};
  int apart = 0;
  for (const Slab& a : slabs)
    for (const Slab& b : slabs) {
      const auto mine = elements(a), theirs = elements(b);
      const bool meet = std::find_first_of(mine.begin(), mine.end(), theirs.begin(), theirs.end()) != mine.end();
      EXPECT_TRUE(!meet || may_meet(a, b));
      apart += may_meet(a, b) ? 0 : 1;
    }
  EXPECT_GT(apart, 8);
}

}  // namespace
}  // namespace weir::bridge
