// SPDX-License-Identifier: Apache-2.0
// Variables that rank 0 keeps (array.hpp): the holders of a record store its values, a commit gathers them on rank 0,
// and rank 0 rewrites their files. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/config.hpp"
#include "base/error.hpp"
#include "schema/schema.hpp"
#include "write/packing/deferred_values.hpp"
#include "write/zarr/folder.hpp"
#include "write/zarr/kept_part.hpp"

namespace weir {

class KeptRecords {
 public:
  // `folder`: where the files are.
  KeptRecords(const Schema& schema, const std::vector<ZarrArray>& arrays, std::string folder)
      : schema_(schema), arrays_(arrays), folder_(std::move(folder)) {}

  // Writes, under pending names, the files in which the noted values are; `notes`: of all ranks. They are added to
  // `files`.
  Status write(std::span<const std::byte> notes, Durability durability, std::vector<ZarrFolder::Pending>& files);

 private:
  using Files = std::map<std::string, KeptPart>;  // of one variable, by their names
  void put(const DeferredValues::Head& head, std::span<const std::byte> values, Files& files);
  KeptPart& part_of(int var, std::int64_t record, IndexView index, Files& files);

  const Schema& schema_;
  const std::vector<ZarrArray>& arrays_;
  std::string folder_;
  Unpacker unpacker_;
};

}  // namespace weir
