// SPDX-License-Identifier: Apache-2.0
// Scheduling without messages: a list of events that the ranks of a host share, or events that every rank knows by
// itself.
#pragma once

#include <memory>
#include <mutex>

#include "schedule/control.hpp"

namespace weir {

// Control on one host: a list of events that all its ranks append to and read in one order, and a scheduler that
// follows it.

struct ControlEvent {
  enum Kind : std::uint32_t { offer, written, release };
  Kind kind;
  int rank;
  std::int64_t unit;
  std::int64_t value;  // slots of an offer, place of what is written
};

class ControlEvents {
 public:
  virtual ~ControlEvents() = default;
  virtual void append(const ControlEvent& event) = 0;
  // The next event for this reader; false where there is none yet.
  virtual bool read(ControlEvent& event) = 0;
  // Empties the list, by one rank while no other rank uses it; every reader rewinds then.
  virtual void clear() = 0;
  virtual void rewind() = 0;
};

// In flight are `window` units at the most, each with an offer of every rank, a release, and a word for every tile, of
// which there are no more than ranks. A reader is no further behind than that; twice as much is kept.
inline std::int64_t control_events_kept(int ranks, int window) {
  return 2 * (std::int64_t{window} + 2) * (2 * std::int64_t{ranks} + 1);
}

// A reader of the list: what it says, done to a scheduler. Any thread.
class HostedSchedule {
 public:
  HostedSchedule(std::unique_ptr<ControlEvents> events, const Machine& machine, const ScheduleParameters& how);

  void append(const ControlEvent& event) { events_->append(event); }
  bool slots(std::int64_t unit, std::vector<Slot>& slots);
  std::int64_t released();
  void clear() { events_->clear(); }
  void restart(std::int64_t unit);
  // Does what the list says. True where something was decided.
  bool follow();

 private:
  bool follow_locked();

  std::unique_ptr<ControlEvents> events_;
  const Machine& machine_;
  ScheduleParameters how_;
  std::mutex mutex_;  // of the scheduler: the writer thread asks too
  std::int64_t first_ = 1;
  std::unique_ptr<Scheduler> scheduler_;
};

// Ranks that see every event at once may share a schedule.
std::unique_ptr<Control> make_hosted_control(int rank, std::shared_ptr<HostedSchedule> schedule);

// Control on several hosts without a control rank: events that all ranks know without a message.

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
