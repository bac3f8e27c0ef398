// SPDX-License-Identifier: Apache-2.0
// A cycle: what is put between the reservation of its memory and the hand-over of its tiles to writers. A pending
// write: the tiles of a cycle that this rank has to write. flow/flow.hpp moves them on. Pure, Local.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "base/numbers.hpp"
#include "schedule/scheduler.hpp"

namespace weir {

// Cycles are numbered from 1, alike on all ranks. With fixed owners a cycle lasts until its memory is full. Under the
// scheduler it is a unit: a large variable, or a bundle of small ones.
struct Cycle {
  std::uint32_t number = 0;
  int wanted = 0;               // slots that the caller asks for, under the scheduler
  std::int64_t series = 0;      // as its first put has it (schedule/scheduler.hpp)
  bool fixed = false;           // owners are the plan's; no rank asks which ranks hold the tiles
  int tile_buffer = 0;          // of every owner's tile, if `fixed`
  std::span<const Slot> slots;  // under the scheduler: holders of tiles, the control's until Control::forget_up_to()
  int relay = -1;  // two hops: the rank to which this rank sends its pieces, put before the slots were known; -1: none

  bool assigned() const noexcept { return fixed || !slots.empty(); }
  // Whether another rank passes this rank's pieces on.
  bool sent_via_relay(int rank) const noexcept { return relay >= 0 && relay != rank; }
  // `owner_or_slot`: as in Outgoing (plan/plan.hpp).
  Slot holder(int owner_or_slot) const {
    return fixed ? Slot{owner_or_slot, tile_buffer} : slots[static_cast<std::size_t>(owner_or_slot)];
  }
};

// Returns whether a piece for this owner or slot goes into the send memory, not straight into its holder's tile.
// reach.of(rank): that rank's memory can be accessed.
template <class Reached>
bool is_packed(const Cycle& cycle, int owner_or_slot, const Reached& reach) {
  return cycle.relay >= 0 || !reach.of(cycle.holder(owner_or_slot).rank);
}

// A tile that this rank holds: its owner or slot in the plans, and the tile buffer of this rank.
struct HeldTile {
  int owner_or_slot;
  int tile_buffer;
};

// Returns how many pieces of a slot reach its holder in messages. `ranks` ranks have one; `near_ranks` of them share
// memory with the holder and copy theirs, unless they too send to a relay (`sent_via_relay`).
inline std::int64_t pieces_by_message(std::int64_t ranks, std::int64_t near_ranks, bool sent_via_relay) noexcept {
  return ranks - (sent_via_relay ? 0 : near_ranks);
}

// Calls visit(number of the entry, tile) in the order in which a holder writes its tiles: entry by entry, in the order
// of the puts.
template <class Visit>
void each_tile(std::size_t entries, std::span<const HeldTile> tiles, Visit visit) {
  for (std::size_t entry = 0; entry < entries; ++entry)
    for (const HeldTile& tile : tiles) visit(entry, tile);
}

// The rank makes a pending write when its own pieces are put. The rank or its background writer writes it once the
// pieces of all ranks are in place.
struct PendingWrite {
  virtual ~PendingWrite() = default;

  std::uint32_t cycle = 0;
  // Set by World::take_puts():
  std::int64_t tile_bytes = 0;  // of its fullest tile
  bool owns_tile = false;       // the plan gives this rank one
  bool collective = false;      // all ranks write it together
  bool one_at_a_time = false;   // storage is faster if one rank of a host writes at a time

  std::vector<HeldTile> tiles;
  std::vector<Slot> slots;                // of the cycle, to which messages are passed on; empty if there are none
  int relayed = 0;                        // messages to pass on that have not arrived
  std::atomic<std::int64_t> missing = 0;  // pieces, and messages to pass on, that have not arrived in messages
  std::atomic<bool> forced = false;       // write it even if the scheduler has not released it: a call waits
  std::atomic<bool> done = false;

  // Returns where a piece goes that has arrived at `rank`, which has this pending write: into one of its tiles, or on
  // to another rank. The slot has rank -1 if there is neither.
  Slot holder(int owner_or_slot, int rank) const {
    for (const HeldTile& tile : tiles)
      if (tile.owner_or_slot == owner_or_slot) return {rank, tile.tile_buffer};
    return slots.empty() ? Slot{-1, 0} : slots[static_cast<std::size_t>(owner_or_slot)];
  }
};

}  // namespace weir
