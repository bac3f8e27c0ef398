// SPDX-License-Identifier: Apache-2.0
#include "put/journal.hpp"

#include "mpi/agree.hpp"

namespace weir {

namespace {

constexpr std::size_t most_lines = 100'000;

std::string in_words(const Journal::Line& line) {
  const Schema& schema = line.file->schema;
  std::string text = "put of \"" + schema.variables()[static_cast<std::size_t>(line.var)].name + "\"";
  if (schema.is_record(line.var)) text += " record " + std::to_string(line.record);
  return text + " into " + line.file->path;
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
    told_[i] = in_words(lines_[i]);
    lines_[i].file = nullptr;
  }
}

std::vector<std::string> Journal::describe() const {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < lines_.size(); ++i) words.push_back(lines_[i].file ? in_words(lines_[i]) : told_.at(i));
  return words;
}

}  // namespace weir
