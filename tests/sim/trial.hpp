// SPDX-License-Identifier: Apache-2.0
// Runs a trial on the simulated machine, and judges what is left of it.
#pragma once

#include <optional>
#include <string>

#include "draw.hpp"

namespace sim {

struct Outcome {
  std::string wrong;  // "": nothing; else a word for the kind, and a sentence
  bool fired = false;
  double seconds = 0;       // of the simulated machine
  std::int64_t points = 0;  // calls of it
  int records = 0;          // committed
};

// Its files go into `folder`, which is made and, where nothing is wrong, removed. `tells`: prints what happens.
Outcome run(const Trial& trial, const std::string& folder, bool tells = false);

}  // namespace sim
