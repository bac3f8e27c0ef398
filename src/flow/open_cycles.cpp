// SPDX-License-Identifier: Apache-2.0
#include "flow/open_cycles.hpp"

#include <optional>

#include "schedule/memory_budget.hpp"

namespace weir {

void OpenCycles::begin(Cycle& cycle) {
  cycle.fixed = control_.fixed();
  cycle.tile_buffer = static_cast<int>(cycle.number % fewest_tile_buffers);
  cycle.slots = {};
  cycle.relay = -1;
  if (learn_slots(cycle)) return;
  world_.mark(Mark::offered, {.number = cycle.number});
  control_.offer(cycle.number, cycle.wanted);
}

bool OpenCycles::learn_way(Cycle& cycle) {
  const bool slots = learn_slots(cycle);
  return learn_relay(cycle) || slots;
}

bool OpenCycles::learn_slots(Cycle& cycle) {
  if (cycle.assigned()) return true;
  cycle.slots = control_.slots(cycle.number);
  if (cycle.slots.empty()) return false;
  world_.mark(Mark::assigned, {.number = cycle.number, .peer = cycle.slots.front().rank});
  return true;
}

bool OpenCycles::learn_relay(Cycle& cycle) {
  const std::optional<int> relay = control_.relay(cycle.number);
  if (!relay) return false;
  cycle.relay = *relay;
  world_.mark(Mark::relay, {.number = cycle.number, .peer = *relay});
  return true;
}

void OpenCycles::make_pending_writes() {
  while (!open_.empty() && learn_slots(open_.front().cycle)) {
    Open& oldest = open_.front();
    if (oldest.cycle.relay == world_.rank()) world_.send(oldest.cycle, *oldest.puts);
    require(writing_.add(oldest.cycle, std::move(oldest.puts)), WEIR_EINTERNAL,
            "a file is laid out anew under two hops");
    control_.settled(oldest.cycle.number);
    open_.erase(open_.begin());
  }
}

}  // namespace weir
