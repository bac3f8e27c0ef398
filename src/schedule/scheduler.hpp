// SPDX-License-Identifier: Apache-2.0
// The control centre: which ranks hold the tiles of which variables, and when they are written (Wang & Huang 2025,
// sections 3.1, 3.2 and 3.5). Told once:
//
//  1. Variables travel in *units*: a large one (or a part of it that fits memory) alone, small ones bundled. Units are
//     numbered from 0 in the order of the puts, which is the same on all ranks. A unit is cut into *seats*: tiles, each
//     of which wants a rank that holds it.
//  2. offer     A rank arrives at a unit. Seats are given to ranks by three principles: fast ranks first; spread over
//               nodes (at most writers_per_node of one unit on a node; for `wait_rounds` offers a seat is held back for
//               a rank of a node that has none of this unit yet: trade-off 3); a rank takes one seat a cycle. A rank
//               that holds tiles_per_rank seats is full: the memory cap.
//  3. manned    All seats of the unit are taken: everybody who waits may send, and whoever comes later need not ask.
//               With two hops, who comes before is told a *relay*, a rank that has a seat of this unit, and waits not.
//  4. released  After flush_after manned units, or at once where an offer finds every rank full or in use in this
//               cycle, the cycle ends: its units may be written, and a new cycle begins (trade-off 1).
//  5. written   A seat's tile is in the file; its rank has room again, and units that wait are manned. A unit all of
//               whose seats are written is forgotten: it was complete, so nobody will offer it again.
//
// Where the rules leave a unit without ranks although all have offered it, they yield, in this order: hold back no
// longer; one seat a cycle; writers_per_node. The cap never yields.
//
// Pure: no MPI, no clock, no randomness. The same events give the same decisions, so ranks that see one list of events
// may each run a scheduler of their own. A run feeds it from messages or from the list a host shares; the simulator
// from simulated arrivals.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "base/config.hpp"
#include "plan/machine.hpp"

namespace weir {

struct ScheduleParameters {
  int writers_per_node = 1;  // most seats of one unit on one node
  int flush_after = 1;       // manned units that make a cycle
  int wait_rounds = 0;       // offers a seat is held back
  int tiles_per_rank = 2;    // seats a rank can hold: the memory cap
  // arrival: seats go to ranks as they arrive (the paper). recent: all seats at the first offer, to the rank that makes
  // it and then to those that arrived first at the unit before, so that nobody waits. warm: all seats at the first
  // offer, where memory was freed last and is in the caches still; for hosts whose ranks write each other's tiles.
  ChooseKind choose = ChooseKind::arrival;
  HopKind hops = HopKind::one;
};

// Who holds a tile, and in which of its tiles_per_rank places.
struct Seat {
  int rank;
  int place;
};

struct Decision {
  enum class Kind {
    manned,    // of `unit`: its seats are known
    relay,     // two hops: `rank` sends its pieces of `unit` to `to`
    released,  // all units up to and including `unit` may be written
  };
  Kind kind;
  std::int64_t unit;
  int rank = -1;
  int to = -1;
};

class Scheduler {
 public:
  // `machine` must outlive the scheduler.
  Scheduler(const Machine& machine, const ScheduleParameters& parameters);

  // `rank` arrives at `unit`, which has `seats` tiles (0: nothing to hold, manned at once). Throws
  // Error(WEIR_EMISMATCH) where another rank gave another number, Error(WEIR_EARGUMENT) for more seats than the machine
  // has places.
  void offer(int rank, std::int64_t unit, int seats);
  // `rank`'s tile of `unit` in `place` is in the file.
  void written(int rank, std::int64_t unit, int place);
  // Units up to `unit` are to be written now, whatever flush_after says: a commit, or a rank that needs the memory.
  void release(std::int64_t unit);

  // What the last event decided; valid until the next event.
  std::span<const Decision> decisions() const noexcept { return decisions_; }
  // A unit's seats, in the order of its tiles; nullptr until it is manned and after all are written.
  const std::vector<Seat>* seats(std::int64_t unit) const noexcept;
  // The last unit that may be written; -1: none.
  std::int64_t released() const noexcept { return released_; }
  // Ranks in the order they offered the latest unit whose first offer has come: who is early. For the report.
  std::span<const int> arrivals() const noexcept;

 private:
  std::vector<Decision> decisions_;
  std::int64_t released_ = -1;
};

}  // namespace weir
