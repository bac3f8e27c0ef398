// SPDX-License-Identifier: Apache-2.0
// A unit as the scheduler keeps it, and the ring of active units. Both are reused, so that a run allocates nothing in
// steady state. Pure,
// Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "schedule/scheduler.hpp"

namespace weir {

// The state of a unit that needs ranks.
struct Assignment {
  int node_limit = 0;                       // most slots on a node
  std::vector<int> on_host;                 // slots on each node
  std::vector<int> arrived;                 // ranks in the order of their offers
  std::vector<int> holders;                 // by slot: the ranks of the first unit of its series; empty: not known
  bool yields = false;                      // only the memory cap holds
  bool refused = false;                     // a rank was, since units before this one need the free tile buffers
  std::size_t relayed = 0;                  // how many of `arrived` have been given a relay
  std::size_t entered = 0;                  // how many of the slots have a rank that may relay
  std::vector<std::pair<int, int>> relays;  // a heap: how many ranks were sent to it, number of its slot

  // As new; keeps the memory. The caller clears `on_host`, since it knows where it is not 0.
  void clear() noexcept {
    node_limit = 0;
    relayed = entered = 0;
    yields = refused = false;
    arrived.clear();
    holders.clear();
    relays.clear();
  }
};

// A unit: its slots until they are written, and its assignment while it needs ranks.
struct Unit {
  std::int64_t number = -1;
  int wanted = -1;  // slots; -1: not offered yet
  int unwritten = 0;
  std::int64_t series = 0;
  bool assigned = false;
  std::vector<Slot> slots;
  std::unique_ptr<Assignment> assignment;  // from the first offer until it is assigned

  int missing() const noexcept { return wanted - static_cast<int>(slots.size()); }
  bool open() const noexcept { return missing() > 0; }
};

// The active units: found by number, made in the order of their numbers, and reused when they are done.
class UnitRing {
 public:
  // `hosts`: nodes on which an assignment counts slots.
  explicit UnitRing(int hosts) : hosts_(hosts), ring_(8) {}

  // nullptr: the unit is not known yet, or forgotten.
  Unit* find(std::int64_t unit) const noexcept {
    if (unit < first_ || unit >= next_) return nullptr;
    return ring_[place(unit)].get();
  }
  // Makes all units up to this one known.
  void reach(std::int64_t unit) {
    while (next_ <= unit) append();
  }
  void forget(Unit& unit);
  // The unit needs ranks from now on; and no more.
  // Requires: end_assignment() gets an assignment whose `on_host` is all 0.
  void begin_assignment(Unit& unit);
  void end_assignment(Unit& unit);

 private:
  std::size_t place(std::int64_t unit) const noexcept { return static_cast<std::size_t>(unit) & (ring_.size() - 1); }
  void append();

  int hosts_;
  // Unit n is in entry n modulo the ring's size, a power of two; an empty entry is a forgotten unit.
  std::vector<std::unique_ptr<Unit>> ring_;
  std::int64_t first_ = 0, next_ = 0;
  std::vector<std::unique_ptr<Unit>> spare_units_;
  std::vector<std::unique_ptr<Assignment>> spare_assignments_;
};

}  // namespace weir
