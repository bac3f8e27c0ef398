// SPDX-License-Identifier: Apache-2.0
// What the configuration says of scheduling. Pure, Local: the simulator asks it too.
#pragma once

#include "schedule/scheduler.hpp"

namespace weir {

// places: tiles a rank can hold (memory/memory_budget.hpp).
ScheduleParameters schedule_parameters(const Config& config, int places);
// How many cycles may be under way: of plan's owners as many as they have places; of units so many that their tiles
// still leave places free, and no list grows without end.
int cycles_in_flight(const Config& config, const Machine& machine, int places, int slots);

}  // namespace weir
