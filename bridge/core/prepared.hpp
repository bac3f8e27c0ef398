// SPDX-License-Identifier: Apache-2.0
// A put in Weir's terms, whichever library's call it was.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/shares.hpp"

namespace weir::bridge {

// Where its elements do not lie in memory one after another, they are packed.
struct Prepared {
  LocalSlabs part;
  std::vector<std::byte> packed;
  std::int64_t elements = 0;
  std::int64_t bytes = 0;    // in the file's type
  std::int64_t records = 0;  // what the record count becomes at least
};

// Elements of `size` bytes that lie in memory at distances of `map`, one after another. Local.
void pack_mapped(const void* values, int size, const Shape& count, const MPI_Offset* map,
                 std::vector<std::byte>& packed);
// Whether they do so already.
bool is_contiguous(const Shape& count, const MPI_Offset* map);

}  // namespace weir::bridge
