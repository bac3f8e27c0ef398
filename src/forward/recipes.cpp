// SPDX-License-Identifier: Apache-2.0
#include "forward/recipes.hpp"

namespace weir {

namespace {

// As words: blocks with their loops, then runs.
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

// The recipe that begins at `at`, which becomes what follows it.
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

}  // namespace

void Recipes::tell(std::vector<std::int64_t>& words, std::pair<int, std::int64_t> source_and_number, int to,
                   const CopyProgram& recipe) {
  const auto [source, number] = source_and_number;
  const bool news = told_.insert({source, number, to}).second;
  words.push_back(news);
  if (news) put_recipe(words, recipe);
}

const CopyProgram& Recipes::hear(const std::vector<std::int64_t>& words, std::size_t& at,
                                 std::pair<int, std::int64_t> source_and_number) {
  CopyProgram& recipe = recipes_[source_and_number];
  if (words[at++] != 0) {
    recipe = take_recipe(words, at);
    program_bytes_ += memory_bytes(recipe);
  }
  return recipe;
}

void Recipes::forget() noexcept {
  numbers_.clear();
  told_.clear();
  recipes_.clear();
  program_bytes_ = 0;
}

std::int64_t Recipes::bytes() const noexcept {
  constexpr std::size_t node_bytes = 64;
  const std::size_t nodes = numbers_.size() * (node_bytes + sizeof(decltype(numbers_)::value_type)) +
                            told_.size() * (node_bytes + sizeof(decltype(told_)::value_type)) +
                            recipes_.size() * (node_bytes + sizeof(decltype(recipes_)::value_type));
  return program_bytes_ + static_cast<std::int64_t>(nodes);
}

}  // namespace weir
