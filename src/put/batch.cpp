// SPDX-License-Identifier: Apache-2.0
#include "put/batch.hpp"

#include <algorithm>

namespace weir {

namespace {

constexpr std::size_t most_names = 2;

}  // namespace

std::string in_words(const std::vector<Entry>& entries) {
  std::size_t names = 0;
  std::string text;
  const Entry* before = nullptr;
  for (const Entry& entry : entries) {
    if (before && before->var == entry.var && before->record == entry.record && entry.round > 0) continue;
    before = &entry;
    if (++names > most_names) continue;
    const Schema& schema = entry.file->schema;
    text += (text.empty() ? "\"" : ", \"") + schema.variables()[static_cast<std::size_t>(entry.var)].name + "\"";
    if (schema.is_record(entry.var)) text += " record " + entry.file->counting.number(entry.record);
  }
  if (entries.empty()) return "nothing";
  if (names > most_names) text += " and " + std::to_string(names - most_names) + " more";
  return text + " into " + entries.front().file->path;
}

void Batch::drop_failed() {
  std::erase_if(entries_, [](const Entry& entry) { return !entry.file->failure.ok(); });
}

bool writes_collectively(const std::vector<Entry>& entries) noexcept {
  return std::any_of(entries.begin(), entries.end(),
                     [](const Entry& entry) { return entry.file->output->collective(); });
}

}  // namespace weir
