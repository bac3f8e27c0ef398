// SPDX-License-Identifier: Apache-2.0
// The parts of a file that a rank needs when it reads for itself: runs of elements, in file order, and which of them it
// reads together, gaps included. Pure, Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/layout.hpp"

namespace weir {

// Elements contiguous in the file, and where they go in memory.
struct FileRun {
  std::int64_t element, count;
  std::int64_t memory, memory_stride;
};

// Ascending, each of at most so many elements. `flat`: of one dimension (Layout::flattened()).
std::vector<FileRun> file_runs(const Layout& flat, std::int64_t most_elements);

// What no rank wants between two pieces of a file, and is no more than this, is read with them: one read costs less than
// two.
inline constexpr std::int64_t read_over_bytes = 64 << 10;
// How a rank alone reads: by reads of at most so many bytes.
inline constexpr std::int64_t sieve_bytes = 4 << 20;

// One past the last run that is read together with runs[first]. `element_bytes`: in the file.
std::size_t end_of_sieve(const std::vector<FileRun>& runs, std::size_t first, int element_bytes);

}  // namespace weir
