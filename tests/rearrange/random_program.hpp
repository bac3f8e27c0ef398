// SPDX-License-Identifier: Apache-2.0
// Random blocks and what they need of memory.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "rearrange/copy.hpp"

namespace weir::reference {

// Strides that lay `counts` out without overlap: a random order of the loops, random gaps, random directions.
inline std::vector<std::int64_t> random_strides(const std::vector<std::int64_t>& counts) {
  std::vector<std::size_t> order(counts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[*rc::gen::inRange<std::size_t>(0, i)]);
  std::vector<std::int64_t> strides(counts.size());
  std::int64_t stride = *rc::gen::element<std::int64_t>(1, 1, 1, 2, 3);
  for (const std::size_t k : order) {
    strides[k] = *rc::gen::element<std::int64_t>(1, 1, 1, -1) * stride;
    stride = stride * counts[k] + *rc::gen::element<std::int64_t>(0, 0, 0, 1, 5);
  }
  return strides;
}

// Up to five loops; mostly short ones, with up to two long ones so that rows, vectors and tiles are crossed.
inline Block random_block() {
  std::vector<std::int64_t> counts(*rc::gen::inRange<std::size_t>(0, 6));
  for (std::size_t k = 0; k < counts.size(); ++k) counts[k] = *rc::gen::inRange<std::int64_t>(1, k < 2 ? 90 : 4);
  for (std::size_t i = counts.size(); i > 1; --i)
    std::swap(counts[i - 1], counts[*rc::gen::inRange<std::size_t>(0, i)]);
  const auto source = random_strides(counts), target = random_strides(counts);
  Block block{*rc::gen::inRange<std::int64_t>(0, 9), *rc::gen::inRange<std::int64_t>(0, 9), {}};
  for (std::size_t k = 0; k < counts.size(); ++k) {
    block.loops.push_back({counts[k], source[k], target[k]});
    block.source += source[k] < 0 ? (1 - counts[k]) * source[k] : 0;
    block.target += target[k] < 0 ? (1 - counts[k]) * target[k] : 0;
  }
  return block;
}

struct Extent {
  std::int64_t source = 0;  // elements from 0 that the source must have
  std::int64_t target = 0;
};

inline Extent extent_of(const Block& block) {
  Extent extent{block.source + 1, block.target + 1};
  for (const Loop& loop : block.loops) {
    extent.source += std::max<std::int64_t>(0, (loop.count - 1) * loop.source_stride);
    extent.target += std::max<std::int64_t>(0, (loop.count - 1) * loop.target_stride);
  }
  return extent;
}

struct RandomProgram {
  std::vector<Block> blocks;  // as they were before append
  CopyProgram program;
  Extent extent;
};

// Blocks (and runs, some of them long enough to be streamed) one after another on both sides, so that they never
// overlap.
inline RandomProgram random_program() {
  RandomProgram made;
  const auto count = *rc::gen::inRange(0, 4);
  for (int i = 0; i < count; ++i) {
    Block block = random_block();
    block.source += made.extent.source;
    block.target += made.extent.target;
    made.extent = extent_of(block);
    made.blocks.push_back(block);
    append(made.program, block);
  }
  const auto runs = *rc::gen::inRange(0, 20);
  for (int i = 0; i < runs; ++i) {
    const auto longest = *rc::gen::element<std::int64_t>(40, 40, 40, 40, 1500);
    const Block run{made.extent.source + *rc::gen::inRange<std::int64_t>(0, 2),
                    made.extent.target + *rc::gen::inRange<std::int64_t>(0, 2),
                    {{*rc::gen::inRange<std::int64_t>(1, longest), 1, 1}}};
    made.extent = extent_of(run);
    made.blocks.push_back(run);
    append(made.program, run);
  }
  return made;
}

// The same elements with source and target exchanged.
inline CopyProgram inverse(const RandomProgram& made) {
  CopyProgram program;
  for (Block block : made.blocks) {
    std::swap(block.source, block.target);
    for (Loop& loop : block.loops) std::swap(loop.source_stride, loop.target_stride);
    append(program, block);
  }
  return program;
}

}  // namespace weir::reference
