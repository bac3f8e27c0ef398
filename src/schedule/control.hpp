// SPDX-License-Identifier: Apache-2.0
// A rank's connection to the scheduler (Control), and which kind of control a run takes. engine/controls.hpp and
// simulate/controls.hpp make them; schedule/scheduler.hpp decides. Pure, Local.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "schedule/scheduler.hpp"

namespace weir {

// Returns the scheduling parameters that the configuration implies. `tile_buffers`: tiles that a rank can hold
// (schedule/memory_budget.hpp).
ScheduleParameters schedule_parameters(const Config& config, int tile_buffers);
// Returns how many cycles may be under way (the window). With fixed owners: two, one for each tile buffer. Else as many
// as leave tile buffers free on some rank, and at most 64.
int cycles_in_flight(const Config& config, const Machine& machine, int tile_buffers, int slots);

// Passes on what happens on a rank, and receives decisions. Units are cycle numbers. Kinds of control; three use the
// one scheduler:
//
//   hosted   one host: all ranks append to and read one list of events. Each runs a scheduler over it, so all come to
//            the same decisions, without a reserved rank and without messages.
//   implied  several hosts, no control rank: events that all ranks know without a message, as if ranks arrived in
//            turn. Slots are spread over hosts, but early ranks are not preferred.
//   remote   a reserved rank runs the scheduler and answers messages (Wang & Huang 2025, section 3.1).
//   fixed    the plan's owners hold the tiles, in their tile buffers in turn.
//
// No method waits for another rank; the caller asks again. Thread: the thread of the rank's calls; written() and
// released() also the background writer if thread_safe().
class Control {
 public:
  virtual ~Control() = default;
  // This rank arrives at a unit of this series (schedule/scheduler.hpp).
  // Requires: it does not know the unit's slots, and has not offered it.
  virtual void offer(std::int64_t unit, int slots, std::int64_t series) = 0;
  // Returns a unit's slots, which stay until forget_up_to(); empty if they are not known yet.
  virtual std::span<const Slot> slots(std::int64_t unit) = 0;
  // Two hops: returns the rank to which this rank's pieces of a unit go, which may be itself; nullopt if none is
  // assigned.
  virtual std::optional<int> relay(std::int64_t /*unit*/) { return std::nullopt; }
  // Two hops: returns how many ranks send this rank their pieces of a unit to pass on.
  // Requires: the unit's slots are known.
  virtual int relayed(std::int64_t /*unit*/) { return 0; }
  // Forgets the slots and relays of units up to this one, for which this rank will not ask again.
  virtual void forget_up_to(std::int64_t /*unit*/) {}
  // This rank has written its tile of a unit.
  virtual void written(std::int64_t unit, int tile_buffer) = 0;
  // Whether written() and released() are thread-safe, so that the background writer may call them.
  virtual bool thread_safe() const noexcept = 0;
  // Units up to this one are to be written now. All ranks call it.
  virtual void release(std::int64_t unit) = 0;
  // Returns the last unit that may be written.
  virtual std::int64_t released() = 0;
  // Begin anew after `unit`, in a recovery: all earlier decisions are void.
  // Requires: all ranks agree between the two calls, and after the second.
  virtual void end(std::int64_t /*unit*/) {}
  virtual void restart(std::int64_t unit) = 0;
  // Tells a control rank to stop waiting, after a timeout.
  virtual void abandon() noexcept {}
  // Whether a tile buffer is known to be free because its tile is out of the window, not because its holder has said
  // so.
  virtual bool frees_by_window() const noexcept { return false; }
  // Whether owners are the plan's; slots() is then empty.
  virtual bool fixed() const noexcept { return false; }
  // Messages that this rank has sent to the scheduler.
  virtual std::int64_t messages() const noexcept { return 0; }
};

std::unique_ptr<Control> make_fixed_control();

// The kind of control of a run.
enum class ControlWay { fixed, hosted, implied, remote };
inline ControlWay control_way(const Config& config, const Machine& machine, bool shared_memory) noexcept {
  if (config.strategy != StrategyKind::dynamic) return ControlWay::fixed;
  if (has_control_rank(config)) return ControlWay::remote;
  return machine.in_one_memory(shared_memory) ? ControlWay::hosted : ControlWay::implied;
}

}  // namespace weir
