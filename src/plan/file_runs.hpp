// SPDX-License-Identifier: Apache-2.0
// The parts of a file that a rank needs when it reads for itself: runs of elements, in file order, and which of them it
// reads together, gaps included. Pure, Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
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

// What no rank wants between two pieces of a file, and is no more than this, is read with them: one read costs less
// than two.
inline constexpr std::int64_t read_over_bytes = 64 << 10;
// How a rank alone reads: by reads of at most so many bytes.
inline constexpr std::int64_t sieve_bytes = 4 << 20;

// One past the last run that is read together with runs[first]. `element_bytes`: in the file.
std::size_t end_of_sieve(const std::vector<FileRun>& runs, std::size_t first, int element_bytes);

// How ranks that write collectively join their runs (storage/pnetcdf_sink.cpp): whether they do, which ranks write, and
// in file windows of what length. By MPI-IO's hints, with ROMIO's names and meaning. The simulator uses it too. Pure,
// Local.

using IoHints = std::map<std::string, std::string>;

// Whether a rank's runs are so short, on average, that it is worth joining them with others'.
bool are_short_runs(std::int64_t bytes, std::int64_t runs) noexcept;

// romio_cb_write, where it decides.
enum class JoinHint { never, always, by_runs };
JoinHint join_hint(const IoHints& hints);
// any_short: some rank has short runs.
inline bool are_joined(JoinHint hint, bool any_short) noexcept {
  return hint == JoinHint::always || (hint == JoinHint::by_runs && any_short);
}

// Ranks that write for all: cb_nodes, else one on each host; never more than there are.
int joining_ranks(const IoHints& hints, int hosts, int ranks);

// What one of them writes in a round: cb_buffer_size, else 4 MiB, in whole stripes (0: not known) and at their
// beginnings.
struct Windows {
  std::int64_t alignment, bytes;
};
Windows joining_windows(const IoHints& hints, std::int64_t stripe_bytes);

}  // namespace weir
