// SPDX-License-Identifier: Apache-2.0
// What an agent decides of each put of a run, instead of the configuration that holds for all (Wang & Huang 2025,
// section 3.5, its three trade-offs). The scheduler that carries them out is the library's. Pure, Local.
#pragma once

#include <vector>

namespace weir::simulate {

struct Order {
  bool flush = false;   // what is cached is to be written, before this put takes slots; else it waits for more
  int writers = 1;      // that hold the variable
  int wait_rounds = 0;  // ranks to pass over while one on another node may come
};

// By put, in their order: of the first record all variables, then of the next one.
using Orders = std::vector<Order>;

}  // namespace weir::simulate
