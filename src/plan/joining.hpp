// SPDX-License-Identifier: Apache-2.0
// How ranks that write collectively join their runs (write/pnetcdf_sink.cpp): whether they do, which ranks write, and
// in file windows of what length. By MPI-IO's hints, with ROMIO's names and meaning. The simulator uses it too. Pure,
// Local.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace weir {

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
