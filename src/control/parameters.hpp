// SPDX-License-Identifier: Apache-2.0
// The scheduling parameters that the configuration implies. Pure, Local: the simulator uses them too.
#pragma once

#include "schedule/scheduler.hpp"

namespace weir {

// places: tiles a rank can hold (memory/memory_budget.hpp).
ScheduleParameters schedule_parameters(const Config& config, int tile_buffers);
// How many cycles may be under way: of plan's owners as many as they have places; of units so many that their tiles
// still leave places free, and no list grows without end.
int cycles_in_flight(const Config& config, const Machine& machine, int tile_buffers, int slots);

}  // namespace weir
