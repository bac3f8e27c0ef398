// SPDX-License-Identifier: Apache-2.0
// The control centre: which ranks hold the tiles of which variables, and when they are written (Wang & Huang 2025,
// sections 3.1, 3.2 and 3.5). Told once:
//
//  1. Variables travel in *units*: a large one (or a part of it that fits memory) alone, small ones bundled. Units are
//     numbered from 0 in the order of the puts, which is the same on all ranks. A unit is cut into *slots*: tiles, each
//     of which wants a rank that holds it.
//  2. offer     A rank arrives at a unit. Slots are given to ranks by three principles: fast ranks first; spread over
//               nodes (at most writers_per_node of one unit on a node, or as many as the unit's slots need spread
//               evenly); a rank takes one slot a cycle. A rank that holds tiles_per_rank slots is full: the memory
//               cap. A unit that cannot be assigned waits and later events assign it, in the order of first offers;
//               none takes a place that one before it wants still.
//  3. assigned  All slots of the unit are taken, and put in the order of the hosts where there are as many as hosts:
//               ranks that wait may send, and ranks that come later need not ask.
//               With two hops, who comes before is told a *relay*, a rank that has a slot of this unit, and waits not:
//               itself if it has one, else the one that has been told to the fewest. Who comes before any slot is taken
//               is told with the first.
//  4. released  After flush_after assigned units, or at once where an offer finds every rank full or in use in this
//               cycle, the cycle ends: its units may be written, and a new cycle begins (trade-off 1).
//  5. written   A slot's tile is in the file; its rank has room again, and units that wait are assigned. A unit all of
//               whose slots are written is forgotten: it was complete, so no rank will offer it again. A rank short of
//               memory may write a complete unit before it is released.
//
// Where the rules leave a unit without ranks and waiting cannot help, they yield, in this order: one slot a cycle;
// writers_per_node (for ranks not in use first). The cap never yields. Waiting cannot help: where
// only ranks that have offered are chosen (arrival), when all have offered; where any rank may be chosen (recent,
// warm), at once. From then on the unit takes the next rank that has room. Before any rule yields, an exhausted cycle
// (4) ends.
//
// Pure: no MPI, no clock, no randomness. The same events give the same decisions, so ranks that see one list of events
// may each run a scheduler of their own. A run feeds it from messages or from the list a host shares; the simulator
// from simulated arrivals. An event costs as much as the slots it gives, each O(log ranks), and allocates nothing once
// the run is in steady state.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/config.hpp"
#include "plan/machine.hpp"

namespace weir {

class Choice;
class Roster;
struct Assignment;
struct Unit;
class UnitRing;

struct ScheduleParameters {
  int writers_per_node = 1;  // most slots of one unit on one node, where the machine has nodes enough
  int flush_after = 1;       // assigned units that make a cycle
  int tiles_per_rank = 2;    // slots a rank can hold: the memory cap
  // arrival: slots go to ranks as they arrive (the paper). recent: all slots at the first offer, to the rank that makes
  // it and then to those that arrived first at a unit before (the last one whose arrivals are known as well as any),
  // so that no rank waits; then to ranks of whom nothing is known, nodes in turn. warm: all slots at the first offer,
  // where memory was freed last and is in the caches still, then to places never used, nodes in turn; for hosts whose
  // ranks write each other's tiles.
  ChooseKind choose = ChooseKind::arrival;
  HopKind hops = HopKind::one;
};

// Who holds a tile, and in which of its tiles_per_rank places.
struct Slot {
  int rank;
  int tile_buffer;
};

struct Decision {
  enum class Kind {
    assigned,  // of `unit`: its slots are known. To all who wait; with a `rank`, to it alone, which came later and asks
    relay,     // two hops: `rank` sends its pieces of `unit` to `to`, or keeps them where that is itself
    released,  // all units up to and including `unit` may be written, those not assigned yet as soon as they are
               // complete
  };
  Kind kind;
  std::int64_t unit;
  int rank = -1;
  int to = -1;
};

class Scheduler {
 public:
  // `machine` must outlive the scheduler. Throws Error(WEIR_EARGUMENT) for parameters out of range,
  // ChooseKind::automatic (the caller resolves it) and a machine without ranks.
  Scheduler(const Machine& machine, const ScheduleParameters& parameters);
  Scheduler(Scheduler&&) noexcept;
  Scheduler& operator=(Scheduler&&) noexcept;
  ~Scheduler();

  // `rank` arrives at `unit`, which has `slots` tiles (0: nothing to hold, assigned at once). A rank offers units in
  // ascending order and may leave out those it knows to be assigned. Throws Error(WEIR_EMISMATCH) where another rank
  // gave another number, Error(WEIR_EARGUMENT) for less than 0 or more slots than the machine has places; then nothing
  // has changed.
  void offer(int rank, std::int64_t unit, int slots);
  // Where no rank tells who is early: ranks arrive at `unit` in turn, beginning with another one each time, until it is
  // assigned. Returns its slots. Decisions are the last arrival's. Throws as offer().
  const std::vector<Slot>& offer_in_turn(std::int64_t unit, int slots);
  // `rank`'s tile of `unit`, which is assigned, in `tile_buffer` is in the file. Once for each slot.
  void written(int rank, std::int64_t unit, int tile_buffer);
  // Units up to `unit` are to be written now, whatever flush_after says: a commit, or a rank that needs the memory. The
  // cycle ends where none of its units is left.
  void release(std::int64_t unit);

  // What the last event decided, in the order to carry it out; valid until the next event.
  std::span<const Decision> decisions() const noexcept { return decisions_; }
  // A unit's slots, in the order of its tiles; nullptr until it is assigned and after all are written. Where there are
  // none: nullptr from the event after its release. The pointer stays valid as long.
  const std::vector<Slot>* slots(std::int64_t unit) const noexcept;
  // The last unit that may be written; -1: none.
  std::int64_t released() const noexcept { return released_; }
  // Ranks in the order they offered the latest unit whose first offer has come: who is early. For the report.
  std::span<const int> arrivals() const noexcept { return arrivals_; }

 private:
  void begin_event();
  void check_slots(int rank, std::int64_t unit, int slots) const;
  void note_arrival(int rank, std::int64_t unit);
  void offer_slots(Unit& unit, int rank);
  bool exhausted() const noexcept;

  Unit* begin_unit(std::int64_t unit, int slots);
  void finish_assignment(Unit& unit);
  void order_slots(Unit& unit) const;
  void forget(Unit& unit);

  void release_all(std::int64_t unit);
  void release_to(std::int64_t unit);
  void end_cycle();
  void end_full_cycles();
  void reassign(std::span<const int> ranks);
  void tell_relays(Unit& unit);
  int choose_relay(Unit& unit, int rank);

  ScheduleParameters parameters_;
  std::unique_ptr<Roster> roster_;
  std::unique_ptr<Choice> choice_;
  std::vector<Decision> decisions_;

  std::unique_ptr<UnitRing> units_;     // under way
  std::vector<std::int64_t> slotless_;  // assigned, without slots, and not forgotten
  bool slotless_released_ = false;

  int assigned_in_cycle_ = 0;
  std::int64_t last_assigned_ = -1;  // the largest number
  std::int64_t released_ = -1;
  std::int64_t latest_ = -1;
  std::vector<int> arrivals_;
};

}  // namespace weir
