// SPDX-License-Identifier: Apache-2.0
// A unit as the scheduler keeps it, and the ring of those that are under way. Pure, Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "schedule/scheduler.hpp"

namespace weir {

// A unit as the scheduler keeps it: its slots until they are written, and, as long as it wants ranks, its assignment.
// Both are reused, so that a run allocates nothing in steady state. Pure, Local.

// What is known of a unit that wants ranks.
struct Assignment {
  int node_limit = 0;                       // most slots on a node
  std::vector<int> on_host;                 // slots on each node
  std::vector<int> arrived;                 // ranks in the order of their offers
  bool yields = false;                      // only the cap holds
  bool refused = false;                     // a rank, since the places left are wanted by units before this one
  std::size_t told = 0;                     // of `arrived`: who has been told a relay
  std::size_t entered = 0;                  // of the slots: whose rank may relay
  std::vector<std::pair<int, int>> relays;  // a heap: how many were sent to it, number of its slot

  // As new, the memory kept; `on_host` is the caller's to clear, who knows where it is not 0.
  void clear() noexcept {
    node_limit = 0;
    told = entered = 0;
    yields = refused = false;
    arrived.clear();
    relays.clear();
  }
};

struct Unit {
  std::int64_t number = -1;
  int wanted = -1;  // slots; -1: not offered yet
  int unwritten = 0;
  bool assigned = false;
  std::vector<Slot> slots;
  std::unique_ptr<Assignment> assignment;  // from the first offer until it is assigned

  int missing() const noexcept { return wanted - static_cast<int>(slots.size()); }
  bool open() const noexcept { return missing() > 0; }
};

// The active units: found by number, made in the order of their numbers, and reused when they are done, so that a run
// allocates nothing in steady state. Pure, Local.

class UnitRing {
 public:
  // hosts: nodes that an assignment counts slots on.
  explicit UnitRing(int hosts) : hosts_(hosts), ring_(8) {}

  // nullptr where it is not known yet, or forgotten.
  Unit* find(std::int64_t unit) const noexcept {
    if (unit < first_ || unit >= next_) return nullptr;
    return ring_[place(unit)].get();
  }
  // All units up to this one are known, as new.
  void reach(std::int64_t unit) {
    while (next_ <= unit) append();
  }
  void forget(Unit& unit);
  // The unit wants ranks from now on; and no more, with `on_host` of its assignment all 0.
  void begin_assignment(Unit& unit);
  void end_assignment(Unit& unit);

 private:
  std::size_t place(std::int64_t unit) const noexcept { return static_cast<std::size_t>(unit) & (ring_.size() - 1); }
  void append();

  int hosts_;
  // Number n is in entry n modulo the ring's size, a power of two; an empty entry is a unit forgotten.
  std::vector<std::unique_ptr<Unit>> ring_;
  std::int64_t first_ = 0, next_ = 0;
  std::vector<std::unique_ptr<Unit>> spare_units_;
  std::vector<std::unique_ptr<Assignment>> spare_assignments_;
};

}  // namespace weir
