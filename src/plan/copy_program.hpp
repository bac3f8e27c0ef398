// SPDX-License-Identifier: Apache-2.0
// A copy program: the copy of a piece, as strided blocks and contiguous runs, in elements. The planner makes it once;
// rearrange/copy.hpp executes it every cycle. Pure, Local.
#pragma once

#include <cstdint>
#include <vector>

#include "base/archive.hpp"

namespace weir {

// One loop of a strided block. Strides are in elements; a source stride may be negative.
struct Loop {
  std::int64_t count;
  std::int64_t source_stride;
  std::int64_t target_stride;
};

// Copies element source + sum(i_k * source_stride_k) to target + sum(i_k * target_stride_k), for all indices i. Loops
// outermost first; without loops, one element.
struct Block {
  std::int64_t source;
  std::int64_t target;
  std::vector<Loop> loops;
};
void fields(auto& archive, Either<Block> auto& block) {
  archive(block.source, block.target, block.loops);
}

// Copies `count` elements, contiguous on both sides.
struct Run {
  std::int64_t source;
  std::int64_t target;
  std::int64_t count;
};

struct CopyProgram {
  std::vector<Block> blocks;
  std::vector<Run> runs;

  std::int64_t elements() const noexcept;
};
void fields(auto& archive, Either<CopyProgram> auto& program) {
  archive(program.blocks, program.runs);
}

// Adds a block in its simplest form: loops of one step are dropped, loops that continue each other on both sides are
// merged, and the loops ordered by target stride (largest first), so that the target is written in order. A block that
// is one contiguous run becomes a Run, merged into the last run if it continues it on both sides.
void append(CopyProgram& program, Block block);

}  // namespace weir
