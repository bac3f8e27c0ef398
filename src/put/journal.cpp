// SPDX-License-Identifier: Apache-2.0
#include "put/journal.hpp"

#include "mpi/agree.hpp"

namespace weir {

namespace {

constexpr std::size_t most_lines = 100'000;

std::string in_words(const Journal::Line& line, Journal::Detail detail) {
  const OpenFile& file = *line.file;
  std::string text = "put of \"" + file.schema.variables()[static_cast<std::size_t>(line.var)].name + "\"";
  if (file.schema.is_record(line.var)) text += " record " + file.counting.number(line.record);
  text += " into " + file.path;
  return detail == Journal::Detail::plain ? text : text + " by layout " + file.counting.number(line.layout);
}

}  // namespace

void Journal::add(const Line& line) {
  signature_ = mix(signature_, static_cast<std::uint64_t>(line.file->serial));
  signature_ = mix(signature_, static_cast<std::uint64_t>(line.var));
  signature_ = mix(signature_, static_cast<std::uint64_t>(line.record));
  signature_ = mix(signature_, static_cast<std::uint64_t>(line.layout));
  if (lines_.size() < most_lines) lines_.push_back(line);
}

void Journal::clear() noexcept {
  lines_.clear();
  told_.clear();
  signature_ = 0;
}

void Journal::leave(const OpenFile& file) {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (lines_[i].file != &file) continue;
    told_[i] = in_words(lines_[i], Detail::with_layouts);
    lines_[i].file = nullptr;
  }
}

std::vector<std::string> Journal::describe(Detail detail) const {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < lines_.size(); ++i)
    words.push_back(lines_[i].file ? in_words(lines_[i], detail) : told_.at(i));
  return words;
}

}  // namespace weir
