// SPDX-License-Identifier: Apache-2.0
#include "put/journal.hpp"

#include "mpi/agree.hpp"

namespace weir {

namespace {

constexpr std::size_t most_lines = 100'000;

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
  signature_ = 0;
}

std::vector<std::string> Journal::describe() const {
  std::vector<std::string> words;
  for (const Line& line : lines_) {
    const Schema& schema = line.file->schema;
    std::string text = "put of \"" + schema.variables()[static_cast<std::size_t>(line.var)].name + "\"";
    if (schema.is_record(line.var)) text += " record " + std::to_string(line.record);
    words.push_back(text + " into " + line.file->path);
  }
  return words;
}

}  // namespace weir
