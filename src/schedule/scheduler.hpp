// SPDX-License-Identifier: Apache-2.0
// The scheduler: decides which ranks hold the tiles of which variables, and when they are written (Wang & Huang 2025,
// sections 3.1, 3.2 and 3.5). A run feeds it through schedule/control.hpp, the simulator with simulated arrivals.
// schedule/choose.hpp chooses ranks. Pure, Local.
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

// The parameters of the scheduler.
//
// `choose`, how slots are assigned to ranks:
//  - arrival: as ranks arrive (the paper).
//  - recent: all slots at the first offer, so that no rank waits: to the rank that makes it; then to those that arrived
//    first at an earlier unit; then to ranks of which nothing is known, nodes in turn. The earlier unit is the latest
//    one for which at least as many arrivals are known as for the one before.
//  - warm: all slots at the first offer, where memory was freed last and is still in caches, then to tile buffers never
//    used, nodes in turn; for hosts whose ranks write each other's tiles.
struct ScheduleParameters {
  int writers_per_node = 1;  // most slots of one unit on one node, if the machine has enough nodes
  int flush_after = 1;       // assigned units that make a group
  int tiles_per_rank = 2;    // slots that a rank can hold: the memory cap
  ChooseKind choose = ChooseKind::arrival;
  HopKind hops = HopKind::one;
  bool waits_for_holders = false;  // a unit of a series waits until the series' holders have room
};

// The rank that holds a tile, and in which of its tiles_per_rank tile buffers.
struct Slot {
  int rank;
  int tile_buffer;
};

// What an event has decided.
struct Decision {
  enum class Kind {
    assigned,  // the slots of `unit` are known: for all ranks that wait; with a `rank`, only for that one, which came
               // later
    relay,     // two hops: `rank` sends its pieces of `unit` to `to`, or keeps them if that is itself
    released,  // all units up to `unit` may be written, those not assigned yet once they are complete
  };
  Kind kind;
  std::int64_t unit;
  int rank = -1;
  int to = -1;
};

// How it works:
//
//  1. Variables travel in *units*: a large one (or a part of it that fits memory) alone, small ones bundled. Units are
//     numbered from 0 in the order of the puts, which is the same on all ranks. A unit is cut into *slots*: tiles, each
//     of which needs a rank that holds it.
//  2. offer: a rank arrives at a unit. Slots are assigned by three principles: fast ranks first; spread over nodes (at
//     most writers_per_node of one unit on a node, or as many as the unit's slots need spread evenly); a rank takes one
//     slot in a group of units (4). A rank that holds tiles_per_rank slots is full: the memory cap. A unit that cannot
//     be assigned waits, and later events assign it, in the order of first offers; no unit takes a tile buffer that one
//     before it still needs.
//  3. assigned: all slots of the unit are taken, and put in the order of the hosts if there are as many as hosts. Ranks
//     that wait may send, and ranks that come later need not ask. With two hops, a rank that comes before does not
//     wait: it gets a *relay*, a rank that has a slot of this unit (itself if it has one, else the one with the fewest
//     senders). A rank that comes before any slot is taken gets its relay with the first slot.
//  4. released: after flush_after assigned units, or if an offer finds every rank full or in use in this group, the
//     *group* of units ends: they may be written, and a new group begins (trade-off 1). The paper calls a group a
//     cycle; the flow calls each unit one.
//  5. written: a slot's tile is in the file. Its rank has room again, and waiting units are assigned. A unit whose
//     slots are all written is forgotten: it was complete, so no rank will offer it again. A rank short of memory may
//     write a complete unit before it is released.
//
// Series, with `recent` (decision 130). Units of one series put records of the same chunks, each of which one rank
// packs as a whole; `series` is a number that they have in common, 0 of others. The first unit of a series goes to the
// ranks with least to do: the fewest tiles in hand and series begun; among these to early ones, in use in the group or
// not. The later units go to the ranks of the first, slot by slot, so that all pieces of a chunk come to one rank. If
// one of them has no room, another rank stands in; or the unit waits (waits_for_holders), for its holder only: the
// group ends, so the holder may write all that it has. That cannot hang under two conditions, which the caller keeps. A
// holder writes what it has without waiting for an offer, in a thread of its own. And there is one hop, so that no rank
// offers a later unit before this one is assigned, and none can take what it waits for.
//
// If the rules leave a unit without ranks and waiting cannot help, they yield, in this order: one slot in a group;
// writers_per_node (for ranks not in use first). The memory cap never yields. Waiting cannot help: with `arrival`, when
// all ranks have offered; with `recent` and `warm`, at once. From then on the unit takes the next rank that has room.
// Before a rule yields, a group without free ranks (4) ends.
//
// No clock, no randomness: the same events give the same decisions, so ranks that see one list of events may each run a
// scheduler. An event costs as much as the slots it assigns, each O(log ranks), and allocates nothing in steady
// state, except for a new series.
class Scheduler {
 public:
  // `machine` outlives the scheduler.
  // Errors: WEIR_EARGUMENT for parameters out of range, ChooseKind::automatic (the caller resolves it) and a machine
  // without ranks.
  Scheduler(const Machine& machine, const ScheduleParameters& parameters);
  Scheduler(Scheduler&&) noexcept;
  Scheduler& operator=(Scheduler&&) noexcept;
  ~Scheduler();

  // `rank` arrives at `unit`, which has `slots` tiles (0: nothing to hold; assigned at once).
  // Requires: a rank offers units in ascending order; it may leave out units that it knows to be assigned. All ranks
  // give the same `series`.
  // Errors: WEIR_EMISMATCH if another rank gave another number, WEIR_EARGUMENT for a negative number or more slots than
  // tile buffers; nothing has changed.
  void offer(int rank, std::int64_t unit, int slots, std::int64_t series = 0);
  // Offers a unit where no rank says which are early: ranks arrive in turn, beginning with another one each time, until
  // it is assigned. Returns its slots; decisions() are the last arrival's.
  // Errors: as offer().
  const std::vector<Slot>& offer_in_turn(std::int64_t unit, int slots, std::int64_t series = 0);
  // `rank` has written its tile of `unit`, which was in `tile_buffer`. Once for each slot.
  // Requires: the unit is assigned.
  void written(int rank, std::int64_t unit, int tile_buffer);
  // Units up to `unit` are to be written now, whatever flush_after says: at a commit, or for a rank that needs memory.
  // The group ends if none of its units is left.
  void release(std::int64_t unit);

  // What the last event has decided, in the order to carry it out; valid until the next event.
  std::span<const Decision> decisions() const noexcept { return decisions_; }
  // Returns a unit's slots, in the order of its tiles; nullptr until it is assigned, and after all are written. For a
  // unit without slots: nullptr from the event after its release. The pointer stays valid as long.
  const std::vector<Slot>* slots(std::int64_t unit) const noexcept;
  // The last unit that may be written; -1: none.
  std::int64_t released() const noexcept { return released_; }
  // The ranks in the order in which they offered the latest offered unit, for the report.
  std::span<const int> arrivals() const noexcept { return arrivals_; }

 private:
  void begin_event();
  void check_slots(int rank, std::int64_t unit, int slots) const;
  void note_arrival(int rank, std::int64_t unit);
  void offer_slots(Unit& unit, int rank);
  bool exhausted() const noexcept;

  Unit* begin_unit(std::int64_t unit, int slots, std::int64_t series);
  void finish_assignment(Unit& unit);
  void order_slots(Unit& unit) const;
  void forget(Unit& unit);

  void release_all(std::int64_t unit);
  void release_to(std::int64_t unit);
  void end_group();
  void end_full_groups();
  void reassign(std::span<const int> ranks);
  void assign_relays(Unit& unit);
  int choose_relay(Unit& unit, int rank);

  ScheduleParameters parameters_;
  std::unique_ptr<Roster> roster_;
  std::unique_ptr<Choice> choice_;
  std::vector<Decision> decisions_;

  std::unique_ptr<UnitRing> units_;     // under way
  std::vector<std::int64_t> slotless_;  // assigned, without slots, not forgotten
  bool slotless_released_ = false;

  int assigned_in_group_ = 0;
  std::int64_t last_assigned_ = -1;  // the largest number
  std::int64_t released_ = -1;
  std::int64_t latest_ = -1;
  std::vector<int> arrivals_;
};

}  // namespace weir
