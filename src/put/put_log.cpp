// SPDX-License-Identifier: Apache-2.0
#include "put/put_log.hpp"

#include "mpi/agree.hpp"

namespace weir {

namespace {

constexpr std::size_t most_lines = 100'000;

std::string in_words(const PutLog::Line& line, PutLog::Detail detail) {
  const OpenFile& file = *line.file;
  std::string text = "put of \"" + file.schema.variables()[static_cast<std::size_t>(line.var)].name + "\"";
  if (file.schema.is_record(line.var)) text += " record " + file.counting.number(line.record);
  text += " into " + file.path;
  return detail == PutLog::Detail::plain ? text : text + " by layout " + file.counting.number(line.layout);
}

}  // namespace

void PutLog::add(const Line& line) {
  signature_ = mix(signature_, static_cast<std::uint64_t>(line.file->serial));
  signature_ = mix(signature_, static_cast<std::uint64_t>(line.var));
  signature_ = mix(signature_, static_cast<std::uint64_t>(line.record));
  signature_ = mix(signature_, static_cast<std::uint64_t>(line.layout));
  if (lines_.size() < most_lines) lines_.push_back(line);
}

void PutLog::clear() noexcept {
  lines_.clear();
  lines_of_gone_files_.clear();
  signature_ = 0;
}

void PutLog::leave(const OpenFile& file) {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (lines_[i].file != &file) continue;
    lines_of_gone_files_[i] = in_words(lines_[i], Detail::with_layouts);
    lines_[i].file = nullptr;
  }
}

std::vector<std::string> PutLog::describe(Detail detail) const {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < lines_.size(); ++i)
    words.push_back(lines_[i].file ? in_words(lines_[i], detail) : lines_of_gone_files_.at(i));
  return words;
}

}  // namespace weir
