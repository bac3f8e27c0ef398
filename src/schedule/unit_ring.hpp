// SPDX-License-Identifier: Apache-2.0
// The active units: found by number, made in the order of their numbers, and reused when they are done, so that a run
// allocates nothing in steady state. Pure, Local.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "schedule/unit.hpp"

namespace weir {

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
