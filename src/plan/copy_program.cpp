// SPDX-License-Identifier: Apache-2.0
// Builds copy programs: each block in its simplest form, written in the order of the target.
#include "plan/copy_program.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace weir {
namespace {

// The same elements, with every target stride positive: a loop that runs backwards in the target is reversed.
void turn_forward(Block& block) {
  for (Loop& loop : block.loops) {
    if (loop.target_stride >= 0) continue;
    block.source += (loop.count - 1) * loop.source_stride;
    block.target += (loop.count - 1) * loop.target_stride;
    loop.source_stride = -loop.source_stride;
    loop.target_stride = -loop.target_stride;
  }
}

bool continues(const Loop& outer, const Loop& inner) {
  return outer.source_stride == inner.count * inner.source_stride &&
         outer.target_stride == inner.count * inner.target_stride;
}

// The widest of the target first. They are few and mostly stand so: no memory is asked for.
void order_loops(std::vector<Loop>& loops) {
  const auto wider = [](const Loop& a, const Loop& b) { return a.target_stride > b.target_stride; };
  for (auto at = loops.begin(); at != loops.end(); ++at)
    std::rotate(std::upper_bound(loops.begin(), at, *at, wider), at, at + 1);
}

void merge_loops(std::vector<Loop>& loops) {
  std::size_t kept = 0;
  for (const Loop& loop : loops) {
    if (kept > 0 && continues(loops[kept - 1], loop)) {
      loops[kept - 1] = {loops[kept - 1].count * loop.count, loop.source_stride, loop.target_stride};
    } else {
      loops[kept++] = loop;
    }
  }
  loops.resize(kept);
}

void append_run(std::vector<Run>& runs, const Run& run) {
  if (!runs.empty()) {
    Run& last = runs.back();
    if (last.source + last.count == run.source && last.target + last.count == run.target) {
      last.count += run.count;
      return;
    }
  }
  runs.push_back(run);
}

}  // namespace

std::int64_t CopyProgram::elements() const noexcept {
  std::int64_t sum = 0;
  for (const Block& block : blocks) {
    std::int64_t product = 1;
    for (const Loop& loop : block.loops) product *= loop.count;
    sum += product;
  }
  for (const Run& run : runs) sum += run.count;
  return sum;
}

void append(CopyProgram& program, Block block) {
  auto& loops = block.loops;
  if (std::ranges::any_of(loops, [](const Loop& loop) { return loop.count <= 0; })) return;
  std::erase_if(loops, [](const Loop& loop) { return loop.count == 1; });
  turn_forward(block);
  order_loops(loops);
  merge_loops(loops);

  if (loops.empty()) {
    append_run(program.runs, {block.source, block.target, 1});
  } else if (loops.size() == 1 && loops[0].source_stride == 1 && loops[0].target_stride == 1) {
    append_run(program.runs, {block.source, block.target, loops[0].count});
  } else {
    program.blocks.push_back(std::move(block));
  }
}

}  // namespace weir
