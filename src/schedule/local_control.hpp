// SPDX-License-Identifier: Apache-2.0
// Control without messages (schedule/control.hpp): from a list of events that the ranks of a host share (hosted), or
// from events that every rank knows by itself (implied). Pure, Local.
#pragma once

#include <memory>
#include <mutex>

#include "schedule/control.hpp"

namespace weir {

// An event of the hosted control.
struct ControlEvent {
  enum Kind : std::uint32_t { offer, written, release };
  Kind kind;
  int rank;
  std::int64_t unit;
  std::int64_t value;       // slots of an offer; tile buffer of a written tile
  std::int64_t series = 0;  // of an offer
};

// The list of events. All ranks append to it and read it in one order.
class ControlEvents {
 public:
  virtual ~ControlEvents() = default;
  virtual void append(const ControlEvent& event) = 0;
  // Reads the next event for this reader; returns false if there is none yet.
  virtual bool read(ControlEvent& event) = 0;
  // Empties the list. Requires: one rank calls it while no other rank uses the list; each reader then calls rewind().
  virtual void clear() = 0;
  virtual void rewind() = 0;
};

// Returns the length of the list. At most `window` units are in flight, each with an offer of every rank, a release,
// and an event for every tile, of which there are no more than ranks. A reader is no further behind than that; the list
// has twice as many.
inline std::int64_t control_events_kept(int ranks, int window) {
  return 2 * (std::int64_t{window} + 2) * (2 * std::int64_t{ranks} + 1);
}

// A reader of the list: applies its events to a scheduler of its own.
// Thread: append(), slots(), released() and follow(): any; the others: while no other thread uses it.
class HostedSchedule {
 public:
  HostedSchedule(std::unique_ptr<ControlEvents> events, const Machine& machine, const ScheduleParameters& how);

  void append(const ControlEvent& event) { events_->append(event); }
  bool slots(std::int64_t unit, std::vector<Slot>& slots);
  std::int64_t released();
  void clear() { events_->clear(); }
  void restart(std::int64_t unit);
  // Applies the events that have arrived. Returns whether something was decided.
  bool follow();

 private:
  bool follow_locked();

  std::unique_ptr<ControlEvents> events_;
  const Machine& machine_;
  ScheduleParameters how_;
  std::mutex mutex_;  // for the scheduler: the writer thread asks too
  std::int64_t first_ = 1;
  std::unique_ptr<Scheduler> scheduler_;
};

// Makes a hosted control. Ranks that see every event at once may share a schedule.
std::unique_ptr<Control> make_hosted_control(int rank, std::shared_ptr<HostedSchedule> schedule);

// Decides on several hosts without a control rank: every rank comes to the same decisions by itself. Units older than
// the window count as written, and the ranks arrive in turn until a unit is assigned.
class ImpliedSchedule {
 public:
  // `window`: units in flight. `kept`: how many units stay known, the latest ones; at least `window` + 1.
  ImpliedSchedule(const Machine& machine, const ScheduleParameters& how, int window, int kept);

  // Decides a unit, if it is new.
  // Requires: units come in their order.
  void offer(std::int64_t unit, int slots, std::int64_t series);
  // Returns a unit's slots, as long as it is kept.
  const std::vector<Slot>& slots(std::int64_t unit) const { return decided(unit).slots; }
  // Returns the last unit that may be written once this one is assigned.
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

// Makes an implied control. Ranks that go through the same units may share a schedule that keeps all of them.
std::unique_ptr<Control> make_implied_control(std::shared_ptr<ImpliedSchedule> schedule);

}  // namespace weir
