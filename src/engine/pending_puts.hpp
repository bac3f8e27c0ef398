// SPDX-License-Identifier: Apache-2.0
// What was put since the last flush, and what becomes of it when its cycle is written. Local.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/trace.hpp"
#include "engine/staging.hpp"
#include "flow/cycle.hpp"
#include "flow/reach.hpp"
#include "formats/open_file.hpp"
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
};

// The model's side of a put.
struct Buffer {
  const void* values;
  Type memory_type;
  Type external_type;
};

// The one copy that the model waits for: from its buffer, with index swap, conversion and byte swap, straight to its
// offset in the holder's tile memory if this rank knows and reaches it, else into the message to the holder. Local;
// nothing allocates.
RangeFailure stage(const Cycle& cycle, const Entry& entry, const Buffer& buffer, Staging& staging, const Reach& reach);

// "temp" record 3, "mask" into ocean.nc; of very many puts the first, and how many more.
std::string in_words(const std::vector<Entry>& entries);

// Whether a file's sink wants all ranks to write it together.
bool writes_collectively(const std::vector<Entry>& entries) noexcept;

// The puts since the last flush, in order, which is the same on all ranks. Keeps its memory from cycle to cycle. Local.
class Batch {
 public:
  void add(const Entry& entry) { entries_.push_back(entry); }
  void clear() noexcept { entries_.clear(); }
  // Gives its entries away, for the memory of others.
  void hand_over(std::vector<Entry>& entries) noexcept {
    entries.clear();
    entries_.swap(entries);
  }
  // Drops the entries of files that have failed.
  void drop_failed();

  bool writes_collectively() const noexcept { return weir::writes_collectively(entries_); }
  bool empty() const noexcept { return entries_.empty(); }
  const std::vector<Entry>& entries() const noexcept { return entries_; }

 private:
  std::vector<Entry> entries_;
};

// A pending write with the puts of its cycle, and how it is written to its files.

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
