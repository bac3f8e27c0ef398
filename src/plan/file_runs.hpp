// SPDX-License-Identifier: Apache-2.0
// Runs of a file: those that a rank reads by itself, with gaps (data sieving), and how ranks that write collectively
// join their runs (two-phase write). Used by engine/reader.hpp, storage/pnetcdf_sink.cpp and the simulator. Pure,
// Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "plan/layout.hpp"

namespace weir {

// Elements that are contiguous in the file, and their place in memory.
struct FileRun {
  std::int64_t element, count;
  std::int64_t memory, memory_stride;
};

// Returns the runs of a layout, ascending, each of at most `most_elements`.
// Requires: `flat` has one dimension (Layout::flattened()).
std::vector<FileRun> file_runs(const Layout& flat, std::int64_t most_elements);

// A gap of at most this many bytes is read with the runs around it: one read costs less than two.
inline constexpr std::int64_t read_over_bytes = 64 << 10;
// The most bytes of one read of a rank by itself.
inline constexpr std::int64_t sieve_bytes = 4 << 20;

// Returns one past the last run that is read together with runs[first]. `element_bytes`: in the file.
std::size_t end_of_sieve(const std::vector<FileRun>& runs, std::size_t first, int element_bytes);

// MPI-IO's hints, with ROMIO's names and meaning.
using IoHints = std::map<std::string, std::string>;

// Whether a rank's runs are so short, on average, that joining them with other ranks' is worth it.
bool are_short_runs(std::int64_t bytes, std::int64_t runs) noexcept;

// What the hint romio_cb_write says.
enum class JoinHint { never, always, by_runs };
JoinHint join_hint(const IoHints& hints);
// Whether runs are joined. `any_short`: some rank has short runs.
inline bool are_joined(JoinHint hint, bool any_short) noexcept {
  return hint == JoinHint::always || (hint == JoinHint::by_runs && any_short);
}

// Returns how many ranks write for all: cb_nodes, else one on each host; at most `ranks`.
int joining_ranks(const IoHints& hints, int hosts, int ranks);

// The part of the file that such a rank writes in a round: cb_buffer_size, else 4 MiB, in whole stripes (0: not known)
// that begin at stripe boundaries.
struct Windows {
  std::int64_t alignment, bytes;
};
Windows joining_windows(const IoHints& hints, std::int64_t stripe_bytes);

}  // namespace weir
