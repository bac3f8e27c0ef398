// SPDX-License-Identifier: Apache-2.0
// A CopyProgram describes the copy of a piece: strided blocks and contiguous runs, in elements, made once by the
// planner and executed every cycle (rearrange/copy.hpp). Pure, Local.
#pragma once

#include <cstdint>
#include <vector>

namespace weir {

// One loop of a strided block: `count` steps; strides in elements (a source stride may be anything, even negative).
struct Loop {
  std::int64_t count;
  std::int64_t source_stride;
  std::int64_t target_stride;
};

// Elements at source + sum(i_k * source_stride_k) go to target + sum(i_k * target_stride_k). Loops outermost first.
// No loops: one element.
struct Block {
  std::int64_t source;
  std::int64_t target;
  std::vector<Loop> loops;
};

// `count` elements, contiguous on both sides.
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

// Adds a block in its simplest form: loops of one step dropped, loops that continue each other on both sides merged,
// ordered by target stride (largest first) so that the target is written in order; a block that is one contiguous run
// becomes a Run, which is merged into the last run where it continues it on both sides.
void append(CopyProgram& program, Block block);

}  // namespace weir
