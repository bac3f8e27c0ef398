// SPDX-License-Identifier: Apache-2.0
// A cycle: what is put between the moment its memory is there and the moment its tiles are handed to the writers. Under
// fixed owners it lasts until their memory is full; under the scheduler it is a unit: a large variable, or a bundle of
// small ones. Cycles are numbered from 1, alike on all ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "put/batch.hpp"
#include "put/reach.hpp"
#include "schedule/scheduler.hpp"

namespace weir {

struct Cycle {
  std::uint32_t number = 0;
  Batch batch;
  bool fixed = false;       // owners are the plan's, and nobody is asked who holds their tiles
  int place = 0;            // of every owner's tile then
  std::vector<Seat> seats;  // who holds which tile, where the scheduler decides; by the numbers the plans give them
  int relay = -1;           // two hops: who takes this rank's pieces, put before the seats were known; -1: nobody

  bool manned() const noexcept { return fixed || !seats.empty(); }
  Seat holder(int owner) const { return fixed ? Seat{owner, place} : seats[static_cast<std::size_t>(owner)]; }
  // Whether a piece for this owner goes into the send memory, and not straight into the tile.
  bool packs(int owner, const Reach& reach) const { return relay >= 0 || !reach.of(holder(owner).rank); }
};

// Cycles are counted modulo 2^32.
inline bool later(std::uint32_t one, std::uint32_t other) noexcept {
  return static_cast<std::int32_t>(one - other) > 0;
}

}  // namespace weir
