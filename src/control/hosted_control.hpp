// SPDX-License-Identifier: Apache-2.0
// Control on one host: a list of events that all its ranks append to and read in one order, and a scheduler that
// follows it.
#pragma once

#include <memory>
#include <mutex>

#include "control/control.hpp"

namespace weir {

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

}  // namespace weir
