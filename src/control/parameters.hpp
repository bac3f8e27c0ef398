// SPDX-License-Identifier: Apache-2.0
// What the configuration says of scheduling. Pure, Local: the simulator asks it too.
#pragma once

#include "schedule/scheduler.hpp"

namespace weir {

// places: tiles a rank can hold (memory/memory_budget.hpp).
ScheduleParameters schedule_parameters(const Config& config, int places);
// How many units may be under way so that their tiles still leave places free, and no list grows without end.
int units_in_flight(const Machine& machine, int places, int slots);

}  // namespace weir
