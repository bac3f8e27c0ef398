// SPDX-License-Identifier: Apache-2.0
// How long a rank waited in Weir's calls for ranks that computed longer: the load imbalance of the model, which no
// output removes. Between two agreements of all ranks each was outside Weir's calls for some time. A rank that was
// outside for less than the one that was outside longest would have waited for that one anyway: that much of its waits
// since the last agreement is load imbalance, the rest is the cost of output. Clocks of different ranks are not
// compared. Pure, Local.
#pragma once

#include <algorithm>

namespace weir {

class LoadImbalance {
 public:
  // Seconds of one clock: now; until now in Weir's calls; until now waiting within them, for whatever.
  struct Times {
    double now, in_calls, waiting;
  };

  // Seconds outside Weir's calls since the last agreement; 0 before there was one. At a meeting's begin.
  double computed(const Times& times) const noexcept {
    return begun_ ? std::max(0.0, times.now - last_.now - (times.in_calls - last_.in_calls)) : 0.0;
  }

  // At its end. `own`: what this rank said at its begin; `longest`: the most that a rank said.
  void met(double own, double longest, const Times& times) noexcept {
    if (begun_) seconds_ += std::clamp(longest - own, 0.0, std::max(0.0, times.waiting - last_.waiting));
    last_ = times;
    begun_ = true;
  }

  double seconds() const noexcept { return seconds_; }

 private:
  Times last_{};
  bool begun_ = false;
  double seconds_ = 0;
};

}  // namespace weir
