// SPDX-License-Identifier: Apache-2.0
// The simulated way from a rank to the scheduler, which is the library's own (schedule/scheduler.hpp), one of it: as
// control/control.hpp, three ways.
//   hosted   one host: every event is known to all ranks at once.
//   implied  several hosts: events that all ranks know without a word; the first rank to come causes them.
//   rank     a rank of its own takes messages one after another, each for a time of the profile, and answers.
// Units are numbered as cycles, from 1. Pure, Local.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "schedule/scheduler.hpp"
#include "simulate/job.hpp"

namespace weir::simulate {

class Control {
 public:
  virtual ~Control() = default;
  // As far as this rank has heard. nullptr: it has not.
  virtual const std::vector<Seat>* seats(int rank, int unit) const = 0;
  // Whoever has heard of it. nullptr: nobody can have.
  virtual const std::vector<Seat>* seats(int unit) const = 0;
  // This rank comes to a unit whose seats it does not know. Once a unit. Its signal is told when it does.
  virtual void offer(int rank, int unit, int seats) = 0;
  virtual void written(int rank, int unit, int place) = 0;
  // All ranks call it.
  virtual void release(int rank, int unit) = 0;
  // The last unit that may be written, as far as this rank has heard.
  virtual int released(int rank) const = 0;
  virtual bool by_window() const noexcept { return false; }
  virtual std::int64_t messages() const noexcept = 0;
};

// Chooses as Pipeline::make_flow does. window: units under way.
std::unique_ptr<Control> make_control(Job& job, int window);

}  // namespace weir::simulate
