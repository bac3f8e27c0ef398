// SPDX-License-Identifier: Apache-2.0
// A thing of a certain speed that serves who comes first first: a card, a server, the memory of a node. It is never
// faster than its speed, the rank that uses it, and idle only while no rank wants it. Pure, Local.
#pragma once

#include <algorithm>
#include <cstdint>

namespace weir::simulate {

class Backlog {
 public:
  // Something that comes at `time` and keeps it busy for so many seconds. When it is done.
  double add(double time, double seconds) noexcept {
    free_ = std::max(free_, time) + seconds;
    busy_ += seconds;
    return free_;
  }
  double free() const noexcept { return free_; }
  double busy_seconds() const noexcept { return busy_; }

 private:
  double free_ = 0;
  double busy_ = 0;
};

}  // namespace weir::simulate
