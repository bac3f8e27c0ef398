// SPDX-License-Identifier: Apache-2.0
// Shards: whole chunks, cut where the planner may cut, enough of them for the writers and not more.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "plan/chunk_grid.hpp"

namespace weir {
namespace {

constexpr std::int64_t mebi = 1 << 20;

TEST(Shards, OneForEachWriter) {
  // A map of 3600 x 2400 floats in chunks of 1 MiB or less, by 8 writers of 4 MiB or more.
  EXPECT_EQ(shard_shape({2400, 3600}, {72, 3600}, {4, 8, 4 * mebi, 8 * mebi}), (Shape{288, 3600}));
  // Levels by levels: the fastest dimensions are whole first.
  EXPECT_EQ(shard_shape({80, 600, 400}, {1, 300, 400}, {8, 16, 4 * mebi, 64 * mebi}), (Shape{5, 600, 400}));
}

TEST(Shards, NoMoreThanAWriterHolds) {
  EXPECT_EQ(shard_shape({1 << 20}, {1 << 10}, {8, 1, 0, mebi}), (Shape{1 << 17}));
  // One slab of chunks is the least.
  EXPECT_EQ(shard_shape({1 << 20}, {1 << 19}, {8, 1, 0, mebi}), (Shape{1 << 19}));
}

TEST(Shards, SmallVariablesHaveOne) {
  EXPECT_EQ(shard_shape({90, 180}, {90, 180}, {4, 64, 4 * mebi, 8 * mebi}), (Shape{90, 180}));
  EXPECT_EQ(shard_shape({7, 30, 40}, {1, 7, 16}, {4, 64, 4 * mebi, 8 * mebi}), (Shape{7, 35, 48}));
}

RC_GTEST_PROP(Shards, AreRunsOfWholeChunks, ()) {
  Shape shape, chunk;
  for (auto dims = *rc::gen::inRange(1, 5); dims > 0; --dims) {
    shape.push_back(*rc::gen::inRange<std::int64_t>(1, 20));
    chunk.push_back(*rc::gen::inRange<std::int64_t>(1, shape.back() + 1));
  }
  const std::int64_t most = *rc::gen::inRange<std::int64_t>(1, 4000);
  const ShardRule rule{4, *rc::gen::inRange<std::int64_t>(1, 9), *rc::gen::inRange<std::int64_t>(0, 500), most};
  const Shape shard = shard_shape(shape, chunk, rule);
  const ChunkGrid grid(shape, shard);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    RC_ASSERT(shard[d] % chunk[d] == 0);
    RC_ASSERT(shard[d] < shape[d] + chunk[d]);
  }
  // A tile that is cut at granules of shards has whole shards, and each granule is one shard.
  RC_ASSERT(granules_in(grid.granule(), elements(shape)) == grid.chunks());
  const std::int64_t least = elements(shard_shape(shape, chunk, {4, 1 << 20, 0, 1}));
  RC_ASSERT(elements(shard) * 4 <= std::max(most, least * 4));
}

}  // namespace
}  // namespace weir
