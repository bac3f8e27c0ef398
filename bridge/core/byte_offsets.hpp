// SPDX-License-Identifier: Apache-2.0
// Turns byte offsets in a file into parts of a variable. Pure, Local.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/layout_book.hpp"
#include "core/type_map.hpp"

namespace weir::bridge {

// A variable as bytes from its first one on. Of a record variable the records are `record_bytes` apart, shape[0] stands
// for nothing, and there is no last record.
struct ByteArray {
  Shape shape;
  int element_bytes = 1;
  bool record = false;
  std::int64_t record_bytes = 0;
};

// The elements that the type map means, in its order, as few slabs. nullopt where it means other bytes than whole
// elements of this variable, or not in ascending order (what MPI-IO asks of a file's view); or where that takes more
// than a million runs, or 65536 slabs: so many take less time in MPI-IO than here.
std::optional<std::vector<Slab>> slabs_at(const TypeMap& places, const ByteArray& array);

}  // namespace weir::bridge
