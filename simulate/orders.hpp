// SPDX-License-Identifier: Apache-2.0
// What an agent decides of each put of a run, instead of the configuration that holds for all (Wang & Huang 2025,
// section 3.5). The number of writers cuts the put's tiles; a flush is a release that the control rank hears before the
// put. The library's scheduler knows of no orders. Pure, Local.
#pragma once

#include <vector>

namespace weir::simulate {

struct Order {
  bool flush = false;  // what is cached is to be written, before this put takes slots; else it waits for more
  int writers = 1;     // that hold the variable
};

// By put, in their order: of the first record all variables, then of the next one.
using Orders = std::vector<Order>;

}  // namespace weir::simulate
