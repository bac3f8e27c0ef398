// SPDX-License-Identifier: Apache-2.0
// Variables of small records and scalars: whoever holds such a record notes its values, all notes go to rank 0 at a
// commit, and that writes the files anew in which they are. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/config.hpp"
#include "base/error.hpp"
#include "schema/schema.hpp"
#include "write/packing/kept_notes.hpp"
#include "write/zarr/array.hpp"
#include "write/zarr/folder.hpp"

namespace weir {

class KeptRecords {
 public:
  KeptRecords(const Schema& schema, const std::vector<ZarrArray>& arrays) : schema_(schema), arrays_(arrays) {}

  // Writes, under pending names, the files in which the noted values are; `notes`: of all ranks. They are added to
  // `files`.
  Status write(std::span<const std::byte> notes, const std::string& folder, Durability durability,
               std::vector<ZarrFolder::Pending>& files) const;

 private:
  using Place = std::pair<std::int64_t, std::string>;  // variable, file
  std::vector<std::byte> read(const std::string& folder, const Place& place) const;
  void put(const KeptNotes::Head& head, std::span<const std::byte> values, std::vector<std::byte>& chunk) const;

  const Schema& schema_;
  const std::vector<ZarrArray>& arrays_;
};

}  // namespace weir
