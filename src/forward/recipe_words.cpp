// SPDX-License-Identifier: Apache-2.0
#include "forward/recipe_words.hpp"

namespace weir {

void put_recipe(std::vector<std::int64_t>& words, const CopyProgram& recipe) {
  words.push_back(static_cast<std::int64_t>(recipe.blocks.size()));
  for (const Block& block : recipe.blocks) {
    words.insert(words.end(), {block.source, block.target, static_cast<std::int64_t>(block.loops.size())});
    for (const Loop& loop : block.loops)
      words.insert(words.end(), {loop.count, loop.source_stride, loop.target_stride});
  }
  words.push_back(static_cast<std::int64_t>(recipe.runs.size()));
  for (const Run& run : recipe.runs) words.insert(words.end(), {run.source, run.target, run.count});
}

CopyProgram take_recipe(const std::vector<std::int64_t>& words, std::size_t& at) {
  CopyProgram recipe;
  recipe.blocks.resize(static_cast<std::size_t>(words[at++]));
  for (Block& block : recipe.blocks) {
    block.source = words[at++];
    block.target = words[at++];
    block.loops.resize(static_cast<std::size_t>(words[at++]));
    for (Loop& loop : block.loops) {
      loop = {words[at], words[at + 1], words[at + 2]};
      at += 3;
    }
  }
  recipe.runs.resize(static_cast<std::size_t>(words[at++]));
  for (Run& run : recipe.runs) {
    run = {words[at], words[at + 1], words[at + 2]};
    at += 3;
  }
  return recipe;
}

}  // namespace weir
