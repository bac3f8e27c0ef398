// SPDX-License-Identifier: Apache-2.0
// The way from a rank to the scheduler: tells it what happens here, and learns what it decides. Three ways, one
// scheduler (schedule/scheduler.hpp), and one without:
//   hosted_control   one host: a list of events in memory the ranks share; each rank runs a scheduler of its own over
//                    it, so that all come to the same decisions. No rank is lost, no message sent.
//   implied_control  several hosts without a control rank: events that all ranks know without a word, as if ranks
//                    arrived in turn. Seats are spread over nodes, but not by who is early.
//   remote_control   a rank of its own runs the scheduler and answers messages (Wang & Huang 2025, section 3.1).
//   fixed_control    the plan's owners hold the tiles, in each of their places in turn: the same answer for ever.
// Units are the cycles' numbers. No call waits; a rank looks again.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "control/parameters.hpp"
#include "mpi/comm.hpp"

namespace weir {

class Control {
 public:
  virtual ~Control() = default;
  // This rank arrives at a unit whose seats it does not know. Once a unit.
  virtual void offer(std::int64_t unit, int seats) = 0;
  // Takes a unit's seats; false while they are not known, or after settled(). A copy: the writer thread may follow the
  // scheduler meanwhile.
  [[nodiscard]] virtual bool seats(std::int64_t unit, std::vector<Seat>& seats) = 0;
  // Two hops: the rank to which this rank's pieces of a unit go, which may be itself; nullopt where seats() has heard
  // of none.
  virtual std::optional<int> relay(std::int64_t /*unit*/) { return std::nullopt; }
  // Two hops: how many other ranks' pieces of a unit, whose seats are known, come to this rank to be passed on.
  virtual int relayed(std::int64_t /*unit*/) { return 0; }
  // This rank will not ask for the seats of units up to this one again.
  virtual void settled(std::int64_t /*unit*/) {}
  // This rank's tile of a unit is written. Where `from_thread()`, a thread beside the rank's own may call this.
  virtual void written(std::int64_t unit, int place) = 0;
  virtual bool from_thread() const noexcept = 0;
  // Units up to this one are to be written now. All ranks call it.
  virtual void release(std::int64_t unit) = 0;
  // The last unit that may be written.
  virtual std::int64_t released() = 0;
  // Begins anew after `unit`, in two halves with a meeting of all ranks between them (and one after the second): what
  // was decided before is void.
  virtual void end(std::int64_t unit) = 0;
  virtual void restart(std::int64_t unit) = 0;
  // After a timeout: the control rank need not wait any more.
  virtual void abandon() noexcept = 0;
  // Whether a place is known to be free because its tile is out of the window, and not because its holder said so.
  virtual bool by_window() const noexcept { return false; }
  // Whether owners are the plan's: seats() then knows of none.
  virtual bool fixed() const noexcept { return false; }
  // Messages this rank has sent to the scheduler, or events it has listed.
  virtual std::int64_t messages() const noexcept = 0;
};

std::unique_ptr<Control> make_fixed_control();
// Collective over `host`. `machine`: the one host, ranks numbered as in the model. window: units in flight, at most.
std::unique_ptr<Control> make_hosted_control(const Comm& host, const Machine& machine, const ScheduleParameters& how,
                                             int window, const Deadline& deadline);
std::unique_ptr<Control> make_implied_control(const Machine& machine, const ScheduleParameters& how, int window);
// `link`: the model's ranks in their order, then the control rank. Local.
std::unique_ptr<Control> make_remote_control(const Comm& link, const Machine& machine, double timeout_seconds);
// Tells the control rank that it need not wait, from a rank that has no such control yet. Local.
void abandon_control(const Comm& link) noexcept;

// The control rank's life: answers the model's ranks until the model has finished. Throws Error(WEIR_ETIMEOUT) where
// one of them has given up, or does not finish within `timeout_seconds` of the first that does; the link must then not
// be freed.
void serve_control(const Comm& link, const ScheduleParameters& how, double timeout_seconds);

}  // namespace weir
