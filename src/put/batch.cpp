// SPDX-License-Identifier: Apache-2.0
#include "put/batch.hpp"

#include <algorithm>

namespace weir {

std::string in_words(const std::vector<Entry>& entries) {
  if (entries.empty()) return "nothing";
  const Entry& first = entries.front();
  const auto others = std::count_if(entries.begin() + 1, entries.end(), [](const Entry& e) { return e.round == 0; });
  const Schema& schema = first.file->schema;
  std::string text = "\"" + schema.variables()[static_cast<std::size_t>(first.var)].name + "\"";
  if (schema.is_record(first.var)) text += " record " + std::to_string(first.record);
  if (others > 0) text += " and " + std::to_string(others) + " more";
  return text + " into " + first.file->path;
}

void Batch::drop_failed() {
  std::erase_if(entries_, [](const Entry& entry) { return !entry.file->failure.ok(); });
}

}  // namespace weir
