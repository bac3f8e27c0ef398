// SPDX-License-Identifier: Apache-2.0
// A pending write with the puts of its cycle, and how it is written to its files.
#pragma once

#include <cstdint>
#include <vector>

#include "base/trace.hpp"
#include "flow/cycle.hpp"
#include "memory/staging.hpp"
#include "put/batch.hpp"
#include "write/sink.hpp"

namespace weir {

struct PendingPuts final : PendingWrite {
  std::vector<Entry> entries;
  std::vector<ReadyTile> ready;  // those of a file, as they are handed to it
  std::vector<Status> failures;  // of writing
  double seconds = 0;            // writing took, by the writer thread
  double hidden_seconds = 0;     // of them, while the model was outside Weir's calls
};

// What a holder knows of a tile: its own part of the plan where owners are fixed, the slot's where they are not.
inline const Plan& tile_plan(const Entry& entry, const HeldTile& tile) {
  return entry.plan->slots.empty() ? *entry.plan : entry.plan->slots[static_cast<std::size_t>(tile.owner)];
}

// Whether writing it is a call to a storage, which may be slow.
bool uses_storage(const PendingPuts& pending);

// Whether a file wants its tiles of the pending write prepared; prepares them, by the rank's own thread while no other
// of this rank writes. Local.
bool must_prepare(PendingPuts& pending);
void prepare_tiles(PendingPuts& pending);

// Fills the holes of the pending write's tiles and hands them to their files; what fails, or is thrown, is kept in the
// pending write, a file's failure with its number and in the words of `rank`, this one. Collective where a file's sink
// is, else Local; no MPI where no sink is collective. `lane`: of the thread that does it.
void write_tiles(PendingPuts& pending, const Staging& staging, int rank_number, TraceLane& lane);

}  // namespace weir
