// SPDX-License-Identifier: Apache-2.0
// A cycle holds what is put between the moment its memory is reserved and the moment its tiles are handed to the
// writers. Under fixed owners it lasts until their memory is full; under the scheduler it is a unit: a large variable,
// or a bundle of small ones. Cycles are numbered from 1, alike on all ranks.
//
// A pending write holds the tiles of one cycle that this rank has to write. The rank makes it when its own pieces are
// put; the rank itself or its background writer writes it once the pieces of all ranks are in place. Pure, Local.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "base/numbers.hpp"
#include "schedule/scheduler.hpp"

namespace weir {

struct Cycle {
  std::uint32_t number = 0;
  int wanted = 0;               // slots, where the scheduler decides; the caller's
  bool fixed = false;           // owners are the plan's, and no rank is asked who holds their tiles
  int tile_buffer = 0;          // of every owner's tile then
  std::span<const Slot> slots;  // who holds which tile, where the scheduler decides, by the numbers the plans give
                                // them; the control's, until this rank has settled the cycle
  int relay = -1;               // two hops: who takes this rank's pieces, put before the slots were known; -1: no rank

  bool assigned() const noexcept { return fixed || !slots.empty(); }
  // This rank's pieces go to another one to be passed on.
  bool sent_via_relay(int rank) const noexcept { return relay >= 0 && relay != rank; }
  Slot holder(int owner) const { return fixed ? Slot{owner, tile_buffer} : slots[static_cast<std::size_t>(owner)]; }
};

// Whether a piece for this owner goes into the send memory, and not straight into its holder's tile. reach.of(rank):
// that rank's memory is in reach. What is packed for a tile of the rank itself it places when it sends the rest.
template <class Reached>
bool is_packed(const Cycle& cycle, int owner, const Reached& reach) {
  return cycle.relay >= 0 || !reach.of(cycle.holder(owner).rank);
}

// A tile held here: the owner's number in the plans, and which of this rank's places it lies in.
struct HeldTile {
  int owner;
  int tile_buffer;
};

// Of the pieces of a slot, which so many ranks have, those that come to its holder in messages: all but those that
// ranks whose memory it shares put in place themselves. sent_via_relay: the holder's pieces go to a relay, and so do
// theirs.
inline std::int64_t pieces_by_message(std::int64_t ranks, std::int64_t near_ranks, bool sent_via_relay) noexcept {
  return ranks - (sent_via_relay ? 0 : near_ranks);
}

// Tiles in the order in which their holder writes them: of each of so many entries of their cycle, which are in the
// order of the puts, those that it holds. visit(number of the entry, tile).
template <class Visit>
void each_tile(std::size_t entries, std::span<const HeldTile> tiles, Visit visit) {
  for (std::size_t entry = 0; entry < entries; ++entry)
    for (const HeldTile& tile : tiles) visit(entry, tile);
}

struct PendingWrite {
  virtual ~PendingWrite() = default;

  std::uint32_t cycle = 0;
  // What the world fills in (World::take_puts):
  std::int64_t tile_bytes = 0;  // that its fullest tile has
  bool owns_tile = false;       // the plan gives this rank one
  bool collective = false;      // all ranks write it together
  bool one_at_a_time = false;   // its files' storage is better off with one rank of a host writing at a time

  std::vector<HeldTile> tiles;
  std::vector<Slot> slots;                // of the cycle, where messages to pass on go; none where none come
  int relayed = 0;                        // messages to pass on that have not come
  std::atomic<std::int64_t> missing = 0;  // contributions that come in messages and have not, and messages to pass on
  std::atomic<bool> forced = false;       // write it whatever the scheduler says: a call waits
  std::atomic<bool> done = false;

  // Of a piece that has come to `rank`, whose pending write this is: itself, or whom it is passed on to; no rank where
  // it is of no tile of the rank's, and none are passed on.
  Slot holder(int owner, int rank) const {
    for (const HeldTile& tile : tiles)
      if (tile.owner == owner) return {rank, tile.tile_buffer};
    return slots.empty() ? Slot{-1, 0} : slots[static_cast<std::size_t>(owner)];
  }
};

}  // namespace weir
