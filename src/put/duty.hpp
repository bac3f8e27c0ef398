// SPDX-License-Identifier: Apache-2.0
// A duty: the tiles of one cycle that this rank holds and has to write. Made by the rank when its own pieces are put,
// done by the rank itself or by its writer thread once everybody's pieces are in place.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/trace.hpp"
#include "mpi/board.hpp"
#include "put/cycle.hpp"
#include "put/staging.hpp"
#include "write/sink.hpp"

namespace weir {

// A tile held here: the owner's number in the plans, and which of this rank's places it lies in.
struct HeldTile {
  int owner;
  int place;
};

struct Duty {
  std::uint32_t cycle = 0;
  std::vector<Entry> entries;
  std::vector<HeldTile> tiles;
  std::vector<Seat> seats;                // of the cycle: where parcels to pass on go; none where owners are fixed
  int place = 0;                          // of the tile then
  bool collective = false;                // all ranks write together
  std::vector<ReadyTile> ready;           // those of a file, as they are handed to it
  std::vector<Status> failures;           // of writing
  double seconds = 0;                     // writing took, by the writer thread
  double hidden_seconds = 0;              // of them, while the model was outside Weir's calls
  std::int64_t bytes = 0;                 // of tile memory
  int relayed = 0;                        // parcels to pass on that have not come
  std::atomic<std::int64_t> missing = 0;  // contributions that come in messages and have not, and parcels to pass on
  std::atomic<bool> forced = false;       // write it whatever the scheduler says: somebody waits
  std::atomic<bool> done = false;

  Seat holder(int owner) const { return seats.empty() ? Seat{owner, place} : seats[static_cast<std::size_t>(owner)]; }
  bool complete(const Board& board) const noexcept {
    return missing.load(std::memory_order_acquire) == 0 && board.all_put(cycle);
  }
};

// What a holder knows of a tile: its own part of the plan where owners are fixed, the seat's where they are not.
inline const Plan& tile_plan(const Entry& entry, const HeldTile& tile) {
  return entry.plan->seats.empty() ? *entry.plan : entry.plan->seats[static_cast<std::size_t>(tile.owner)];
}

// Whether writing it is a call to a storage, which may be slow.
bool stores(const Duty& duty);

// Whether a file wants its tiles of the duty prepared; prepares them, by the rank's own thread while no other of this
// rank writes. Local.
bool must_prepare(Duty& duty);
void prepare_tiles(Duty& duty);

// Fills the holes of the duty's tiles and hands them to their files; what fails is kept in the duty, a file's failure
// with its number and in the words of `rank`, this one. Collective where a file's sink is, else Local; no MPI where no
// sink is collective. `lane`: of the thread that does it.
void write_tiles(Duty& duty, const Staging& staging, int rank_number, TraceLane& lane);

}  // namespace weir
