// SPDX-License-Identifier: Apache-2.0
#include "put/batch.hpp"

#include "mpi/agree.hpp"

namespace weir {

void Batch::drop_failed() {
  std::erase_if(entries_, [](const Entry& entry) { return !entry.file->failure.ok(); });
}

std::uint64_t Batch::signature() const noexcept {
  std::uint64_t signature = 0;
  for (const Entry& entry : entries_) signature = mix(signature, entry.identity);
  return signature;
}

std::vector<std::string> Batch::describe() const {
  std::vector<std::string> lines;
  for (const Entry& entry : entries_) {
    if (entry.round > 0) continue;
    const Schema& schema = entry.file->schema;
    std::string line = "put of \"" + schema.variables()[static_cast<std::size_t>(entry.var)].name + "\"";
    if (schema.is_record(entry.var)) line += " record " + std::to_string(entry.record);
    lines.push_back(line + " into " + entry.file->path);
  }
  return lines;
}

}  // namespace weir
