// SPDX-License-Identifier: Apache-2.0
// Control on several hosts without a control rank: events that all ranks know without a message.
#pragma once

#include <memory>

#include "control/control.hpp"

namespace weir {

// Every rank comes to the same decisions by itself: units older than the window are written, and the ranks arrive in
// turn until the unit is assigned.
class ImpliedSchedule {
 public:
  // window: units in flight; kept: how many units are known, from the latest on, `window` + 1 at the least.
  ImpliedSchedule(const Machine& machine, const ScheduleParameters& how, int window, int kept);

  // Units come in their order; one that is decided changes nothing.
  void offer(std::int64_t unit, int slots);
  // Of a unit that is kept: as long as it is.
  const std::vector<Slot>& slots(std::int64_t unit) const { return decided(unit).slots; }
  // The last unit that may be written once this one is assigned.
  std::int64_t released_with(std::int64_t unit) const { return decided(unit).released; }
  void release(std::int64_t unit);
  void restart(std::int64_t unit);

 private:
  struct Decided {
    std::vector<Slot> slots;
    std::int64_t released = 0;
  };
  const Decided& decided(std::int64_t unit) const { return decided_[ring_index(unit)]; }
  std::size_t ring_index(std::int64_t unit) const { return static_cast<std::size_t>(unit) % decided_.size(); }

  const Machine& machine_;
  ScheduleParameters how_;
  std::int64_t window_;
  std::int64_t first_ = 1, next_ = 1, oldest_ = 1;
  std::vector<Decided> decided_;
  std::unique_ptr<Scheduler> scheduler_;
};

// Ranks that go through the same units may share a schedule that keeps them all.
std::unique_ptr<Control> make_implied_control(std::shared_ptr<ImpliedSchedule> schedule);

}  // namespace weir
