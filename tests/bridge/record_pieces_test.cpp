// SPDX-License-Identifier: Apache-2.0
// Pieces of records: later values take the place of earlier ones where the bounds are the same, and other overlaps are
// found.
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

TEST(RecordPieces, TheSameBoundsAreTheSamePiece) {
  RecordPieces pieces;
  const std::vector<Slab> slabs{{{0}, {2}, {}}, {{4}, {2}, {}}}, later{{{4}, {2}, {}}};
  pieces.add(where, slabs, bytes(4, 1), 1);
  pieces.add(where, later, bytes(2, 9), 1);
  EXPECT_EQ(pieces.elements(where), 4);
  EXPECT_EQ(pieces.at(where).values, (std::vector<std::byte>{std::byte{1}, std::byte{1}, std::byte{9}, std::byte{9}}));
  pieces.yield(where, slabs[0], 1);
  EXPECT_EQ(pieces.elements(where), 2);
  EXPECT_EQ(pieces.at(where).values, bytes(2, 9));
  EXPECT_EQ(pieces.bytes(), 2);
}

TEST(RecordPieces, OtherOverlapsAreFound) {
  RecordPieces pieces;
  pieces.add(where, std::vector<Slab>{{{0, 0}, {4, 4}, {}}}, bytes(16, 1), 1);
  EXPECT_FALSE(pieces.is_apart(where, {{3, 3}, {2, 2}, {}}));
  EXPECT_FALSE(pieces.is_apart(where, {{0, 0}, {1, 1}, {}}));
  EXPECT_TRUE(pieces.is_apart(where, {{0, 0}, {4, 4}, {}}));
  EXPECT_TRUE(pieces.is_apart(where, {{4, 0}, {1, 4}, {}}));
  EXPECT_TRUE(pieces.is_apart({3, 8}, {{3, 3}, {2, 2}, {}}));
  pieces.yield(where, {{4, 0}, {1, 4}, {}}, 1);
  EXPECT_EQ(pieces.elements(where), 16);
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
