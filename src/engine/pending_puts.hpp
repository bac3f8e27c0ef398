// SPDX-License-Identifier: Apache-2.0
// The puts of a cycle (Batch), and the pending write that they become when the cycle ends (PendingPuts).
// engine/cycles.hpp fills a batch, engine/run_world.hpp writes pending puts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/trace.hpp"
#include "engine/staging.hpp"
#include "flow/cycle.hpp"
#include "formats/open_file.hpp"
#include "plan/machine.hpp"
#include "plan/plan.hpp"
#include "rearrange/copy.hpp"
#include "schema/types.hpp"
#include "storage/sink.hpp"

namespace weir {

// One round of one put.
struct Entry {
  OpenFile* file;
  int var;
  std::int64_t record;
  const Plan* plan;
  std::size_t round;
  Reservation reservation;
  ExternalValue fill;

  const Round& steps() const noexcept { return plan->rounds[round]; }
  const SlotPlan& slot(int number) const noexcept { return plan->slots[static_cast<std::size_t>(number)][round]; }
  // Returns what the holder of a tile knows of it: its part of the plan if owners are fixed, else the slot's.
  const TilePlan& tile(const HeldTile& held) const noexcept {
    return plan->slots.empty() ? steps().tile : slot(held.owner_or_slot).tile;
  }
};

// The caller's side of a put.
struct Buffer {
  const void* values;
  Type memory_type;
  Type external_type;
};

// Copies one round of a put from the caller's buffer, with index swap, conversion and byte swap: into the holder's tile
// memory, if this rank knows the holder and can access its memory, else into the message to the holder. Allocates
// nothing. Returns the values that did not fit.
// Requires: `entry` has its memory in the cycle.
// Local.
RangeFailure stage(const Cycle& cycle, const Entry& entry, const Buffer& buffer, Staging& staging, const Reach& reach);

// Returns the puts as text: "temp" record 3, "mask" into ocean.nc; the first ones, and how many more there are.
std::string in_words(const std::vector<Entry>& entries);

// Returns whether the sink of a file writes collectively.
bool writes_collectively(const std::vector<Entry>& entries) noexcept;

// The puts of the open cycle, in order, the same on all ranks. Keeps its memory from cycle to cycle. Local.
class Batch {
 public:
  void add(const Entry& entry) { entries_.push_back(entry); }
  void clear() noexcept { entries_.clear(); }
  // Gives its entries to the caller, and takes the memory of the caller's entries.
  void hand_over(std::vector<Entry>& entries) noexcept {
    entries.clear();
    entries_.swap(entries);
  }
  // Removes the entries of files that have failed.
  void drop_failed();

  bool writes_collectively() const noexcept { return weir::writes_collectively(entries_); }
  const std::vector<Entry>& entries() const noexcept { return entries_; }

 private:
  std::vector<Entry> entries_;
};

// A pending write with the puts of its cycle.
struct PendingPuts final : PendingWrite {
  std::vector<Entry> entries;
  std::vector<ReadyTile> ready;  // tiles of one file, while it writes them
  std::vector<Status> failures;  // of writing
  double seconds = 0;            // that writing took, in the writer thread
  double hidden_seconds = 0;     // of them, while the model was outside Weir's calls
};

// Returns whether writing calls storage, which may be slow.
bool uses_storage(const PendingPuts& pending);

// Whether a file wants its tiles prepared before they are written; prepares them. prepare_tiles() may call MPI.
// Requires: no thread of this rank writes.
// Local.
// Thread: the rank's own.
bool must_prepare(PendingPuts& pending);
void prepare_tiles(PendingPuts& pending);

// Fills the holes of the pending write's tiles, and writes the tiles to their files.
// Ensures: failures are in `pending`, with their file and with `rank_number` in the text.
// Collective if a sink is, else Local.
// Thread: one at a time, whose trace lane is `lane`: the writer thread, the storage thread or the rank's own; calls MPI
// only if a sink is collective (contract 7).
// Errors: throws only errors that end the instance.
void write_tiles(PendingPuts& pending, const Staging& staging, int rank_number, TraceLane& lane);

}  // namespace weir
