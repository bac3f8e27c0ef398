// SPDX-License-Identifier: Apache-2.0
// Building copy programs: the simplest form, and that it still means the same.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "random_program.hpp"
#include "rearrange/copy.hpp"
#include "reference.hpp"

namespace weir {
namespace {

using Pairs = std::set<std::pair<std::int64_t, std::int64_t>>;

CopyProgram program_of(std::vector<Block> blocks) {
  CopyProgram program;
  for (Block& block : blocks) append(program, std::move(block));
  return program;
}

bool same_loop(const Loop& a, const Loop& b) {
  return a.count == b.count && a.source_stride == b.source_stride && a.target_stride == b.target_stride;
}

void expect_block(const Block& block, std::int64_t source, std::int64_t target, const std::vector<Loop>& loops) {
  EXPECT_EQ(block.source, source);
  EXPECT_EQ(block.target, target);
  ASSERT_EQ(block.loops.size(), loops.size());
  for (std::size_t k = 0; k < loops.size(); ++k) EXPECT_TRUE(same_loop(block.loops[k], loops[k])) << "loop " << k;
}

void expect_run(const Run& run, std::int64_t source, std::int64_t target, std::int64_t count) {
  EXPECT_EQ(run.source, source);
  EXPECT_EQ(run.target, target);
  EXPECT_EQ(run.count, count);
}

TEST(Append, ElementWithoutLoopsIsARun) {
  const CopyProgram program = program_of({{7, 3, {}}});
  ASSERT_TRUE(program.blocks.empty());
  ASSERT_EQ(program.runs.size(), 1U);
  expect_run(program.runs[0], 7, 3, 1);
}

TEST(Append, ContiguousLoopsBecomeOneRun) {
  const CopyProgram program = program_of({{5, 0, {{3, 20, 20}, {1, 99, -7}, {4, 5, 5}, {5, 1, 1}}}});
  ASSERT_TRUE(program.blocks.empty());
  ASSERT_EQ(program.runs.size(), 1U);
  expect_run(program.runs[0], 5, 0, 60);
}

TEST(Append, RunsThatContinueOnBothSidesAreMerged) {
  const CopyProgram program =
      program_of({{0, 10, {{4, 1, 1}}}, {4, 14, {}}, {5, 15, {{2, 1, 1}}}, {7, 18, {}}, {9, 19, {}}});
  ASSERT_EQ(program.runs.size(), 3U);
  expect_run(program.runs[0], 0, 10, 7);
  expect_run(program.runs[1], 7, 18, 1);
  expect_run(program.runs[2], 9, 19, 1);
}

TEST(Append, LoopsAreOrderedByTargetStrideAndMerged) {
  const CopyProgram program = program_of({{0, 0, {{4, 1, 30}, {5, 8, 6}, {3, 40, 2}, {2, 120, 1}}}});
  ASSERT_EQ(program.blocks.size(), 1U);
  expect_block(program.blocks[0], 0, 0, {{4, 1, 30}, {5, 8, 6}, {3, 40, 2}, {2, 120, 1}});
  const CopyProgram merged = program_of({{0, 0, {{6, 1, 1}, {3, 60, 60}, {5, 6, 6}}}});
  ASSERT_EQ(merged.blocks.size(), 1U);
  expect_block(merged.blocks[0], 0, 0, {{3, 60, 60}, {30, 1, 1}});
}

TEST(Append, LoopBackwardsOnBothSidesIsTurnedForward) {
  const CopyProgram program = program_of({{9, 19, {{10, -1, -1}}}});
  ASSERT_TRUE(program.blocks.empty());
  expect_run(program.runs.at(0), 0, 10, 10);
}

TEST(Append, LoopBackwardsInTheSourceStaysABlock) {
  const CopyProgram program = program_of({{9, 0, {{10, -1, 1}}}});
  ASSERT_EQ(program.blocks.size(), 1U);
  expect_block(program.blocks[0], 9, 0, {{10, -1, 1}});
}

TEST(Append, LoopOfNoStepsMeansNothing) {
  const CopyProgram program = program_of({{9, 0, {{10, 1, 1}, {0, 1, 1}}}});
  EXPECT_TRUE(program.blocks.empty());
  EXPECT_TRUE(program.runs.empty());
  EXPECT_EQ(program.elements(), 0);
}

TEST(Append, CountsBeyondInt) {
  const std::int64_t n = std::int64_t{1} << 20;
  const CopyProgram program = program_of({{0, 0, {{n, 2 * n, n}, {n, 1, 1}}}, {0, 0, {{n * n, 1, 1}}}});
  EXPECT_EQ(program.elements(), 2 * n * n);
  EXPECT_EQ(program.runs.at(0).count, n * n);
}

RC_GTEST_PROP(Append, MeansTheSameElements, ()) {
  const auto made = reference::random_program();
  Pairs before, after;
  std::int64_t visits = 0;
  for (const Block& block : made.blocks) {
    reference::for_each(block, [&](std::int64_t source, std::int64_t target) { before.emplace(source, target); });
  }
  reference::for_each(made.program, [&](std::int64_t source, std::int64_t target) {
    after.emplace(source, target);
    ++visits;
  });
  RC_ASSERT(before == after);
  RC_ASSERT(made.program.elements() == visits);
  RC_ASSERT(static_cast<std::int64_t>(before.size()) == visits);
}

RC_GTEST_PROP(Append, LeavesTheSimplestForm, ()) {
  const auto made = reference::random_program();
  for (const Block& block : made.program.blocks) {
    RC_ASSERT(!block.loops.empty());
    RC_ASSERT(block.loops.size() > 1 || block.loops[0].source_stride != 1 || block.loops[0].target_stride != 1);
    for (std::size_t k = 0; k < block.loops.size(); ++k) {
      const Loop& loop = block.loops[k];
      RC_ASSERT(loop.count > 1);
      RC_ASSERT(loop.target_stride > 0);
      if (k == 0) continue;
      const Loop& outer = block.loops[k - 1];
      RC_ASSERT(outer.target_stride >= loop.target_stride);
      RC_ASSERT(outer.target_stride != loop.count * loop.target_stride ||
                outer.source_stride != loop.count * loop.source_stride);
    }
  }
  for (std::size_t i = 1; i < made.program.runs.size(); ++i) {
    const Run &last = made.program.runs[i - 1], &run = made.program.runs[i];
    RC_ASSERT(last.source + last.count != run.source || last.target + last.count != run.target);
  }
}

}  // namespace
}  // namespace weir
