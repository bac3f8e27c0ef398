// SPDX-License-Identifier: Apache-2.0
// From a rank to the scheduler: what the flow asks of it, and which way is taken. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "schedule/scheduler.hpp"

namespace weir {

// The scheduling parameters that the configuration implies. Pure, Local: the simulator uses them too.

// places: tiles a rank can hold (schedule/memory_budget.hpp).
ScheduleParameters schedule_parameters(const Config& config, int tile_buffers);
// How many cycles may be under way: of plan's owners as many as they have places; of units so many that their tiles
// still leave places free, and no list grows without end.
int cycles_in_flight(const Config& config, const Machine& machine, int tile_buffers, int slots);

// A rank's connection to the scheduler: it passes on what happens here and receives the decisions. Three of the four
// kinds use the one scheduler (schedule/scheduler.hpp), the last needs none:
//   hosted   one host: a list of events that all its ranks read; each runs a scheduler of its own over it, so that all
//            come to the same decisions. No rank is lost, no message sent.
//   implied several hosts without a control rank: events that all ranks know without a message, as if ranks arrived in
//   turn. Slots are spread over hosts, but early ranks are not preferred. remote   a rank of its own runs the scheduler
//   and answers messages (Wang & Huang 2025, section 3.1). fixed the plan's owners hold the tiles, in each of their
//   tile buffers in turn: the answer never changes.
// Units are the cycles' numbers. No call waits; a rank looks again. Written once: a run and its simulation differ in
// what the list lies in and what carries the messages (engine/controls.hpp, simulate/controls.hpp). Pure, Local.

class Control {
 public:
  virtual ~Control() = default;
  // This rank arrives at a unit whose slots it does not know. Once a unit.
  virtual void offer(std::int64_t unit, int slots) = 0;
  // A unit's slots, which hold until settled(); none while they are not known, or after that.
  virtual std::span<const Slot> slots(std::int64_t unit) = 0;
  // Two hops: the rank to which this rank's pieces of a unit go, which may be itself; nullopt where slots() has heard
  // of none.
  virtual std::optional<int> relay(std::int64_t /*unit*/) { return std::nullopt; }
  // Two hops: how many other ranks' pieces of a unit, whose slots are known, come to this rank to be passed on.
  virtual int relayed(std::int64_t /*unit*/) { return 0; }
  // This rank will not ask for the slots of units up to this one again.
  virtual void settled(std::int64_t /*unit*/) {}
  // This rank's tile of a unit is written. Where `from_thread()`, a thread other than the rank's own may call this.
  virtual void written(std::int64_t unit, int tile_buffer) = 0;
  virtual bool from_thread() const noexcept = 0;
  // Units up to this one are to be written now. All ranks call it.
  virtual void release(std::int64_t unit) = 0;
  // The last unit that may be written.
  virtual std::int64_t released() = 0;
  // Begins anew after `unit`, in two halves with a agreement of all ranks between them (and one after the second): what
  // was decided before is void.
  virtual void end(std::int64_t /*unit*/) {}
  virtual void restart(std::int64_t unit) = 0;
  // After a timeout: the control rank need not wait any more.
  virtual void abandon() noexcept {}
  // Whether a place is known to be free because its tile is out of the window, and not because its holder said so.
  virtual bool by_window() const noexcept { return false; }
  // Whether owners are the plan's: slots() then knows of none.
  virtual bool fixed() const noexcept { return false; }
  // Messages this rank has sent to the scheduler, or events it has listed.
  virtual std::int64_t messages() const noexcept { return 0; }
};

std::unique_ptr<Control> make_fixed_control();

// Which way a run takes.
enum class ControlWay { fixed, hosted, implied, remote };
inline ControlWay control_way(const Config& config, const Machine& machine, bool shared_memory) noexcept {
  if (config.strategy != StrategyKind::dynamic) return ControlWay::fixed;
  if (has_control_rank(config)) return ControlWay::remote;
  return machine.in_one_memory(shared_memory) ? ControlWay::hosted : ControlWay::implied;
}

}  // namespace weir
