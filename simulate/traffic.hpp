// SPDX-License-Identifier: Apache-2.0
// The traffic of a cycle: its entries' pieces added up by who has them and who gets them. Pure, Local.
#pragma once

#include <vector>

#include "simulate/script.hpp"

namespace weir::simulate {

// slots: owners are slots of the scheduler.
Traffic make_traffic(const std::vector<Entry>& entries, const Machine& machine, bool slots);

}  // namespace weir::simulate
