// SPDX-License-Identifier: Apache-2.0
#include "forward/unpack_programs.hpp"

namespace weir {

namespace {

// As words: blocks with their loops, then runs.
void put_recipe(std::vector<std::int64_t>& words, const CopyProgram& unpack_program) {
  words.push_back(static_cast<std::int64_t>(unpack_program.blocks.size()));
  for (const Block& block : unpack_program.blocks) {
    words.insert(words.end(), {block.source, block.target, static_cast<std::int64_t>(block.loops.size())});
    for (const Loop& loop : block.loops)
      words.insert(words.end(), {loop.count, loop.source_stride, loop.target_stride});
  }
  words.push_back(static_cast<std::int64_t>(unpack_program.runs.size()));
  for (const Run& run : unpack_program.runs) words.insert(words.end(), {run.source, run.target, run.count});
}

// The unpack program that begins at `at`, which becomes what follows it.
CopyProgram take_recipe(const std::vector<std::int64_t>& words, std::size_t& at) {
  CopyProgram unpack_program;
  unpack_program.blocks.resize(static_cast<std::size_t>(words[at++]));
  for (Block& block : unpack_program.blocks) {
    block.source = words[at++];
    block.target = words[at++];
    block.loops.resize(static_cast<std::size_t>(words[at++]));
    for (Loop& loop : block.loops) {
      loop = {words[at], words[at + 1], words[at + 2]};
      at += 3;
    }
  }
  unpack_program.runs.resize(static_cast<std::size_t>(words[at++]));
  for (Run& run : unpack_program.runs) {
    run = {words[at], words[at + 1], words[at + 2]};
    at += 3;
  }
  return unpack_program;
}

}  // namespace

void UnpackPrograms::encode(std::vector<std::int64_t>& words, std::pair<int, std::int64_t> source_and_number, int to,
                   const CopyProgram& unpack_program) {
  const auto [source, number] = source_and_number;
  const bool news = sent_.insert({source, number, to}).second;
  words.push_back(news);
  if (news) put_recipe(words, unpack_program);
}

const CopyProgram& UnpackPrograms::decode(const std::vector<std::int64_t>& words, std::size_t& at,
                                 std::pair<int, std::int64_t> source_and_number) {
  CopyProgram& unpack_program = unpack_programs_[source_and_number];
  if (words[at++] != 0) {
    unpack_program = take_recipe(words, at);
    program_bytes_ += memory_bytes(unpack_program);
  }
  return unpack_program;
}

void UnpackPrograms::forget() noexcept {
  numbers_.clear();
  sent_.clear();
  unpack_programs_.clear();
  program_bytes_ = 0;
}

std::int64_t UnpackPrograms::bytes() const noexcept {
  constexpr std::size_t node_bytes = 64;
  const std::size_t nodes = numbers_.size() * (node_bytes + sizeof(decltype(numbers_)::value_type)) +
                            sent_.size() * (node_bytes + sizeof(decltype(sent_)::value_type)) +
                            unpack_programs_.size() * (node_bytes + sizeof(decltype(unpack_programs_)::value_type));
  return program_bytes_ + static_cast<std::int64_t>(nodes);
}

}  // namespace weir
