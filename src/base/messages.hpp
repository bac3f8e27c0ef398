// SPDX-License-Identifier: Apache-2.0
// Messages between ranks as words, whatever carries them: the planner writes them, and does not know MPI.
#pragma once

#include <cstdint>
#include <vector>

namespace weir {

// Words for or from another rank (or itself).
struct Message {
  int peer;
  std::vector<std::int64_t> words;
};
using Messages = std::vector<Message>;

}  // namespace weir
