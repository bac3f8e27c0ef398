// SPDX-License-Identifier: Apache-2.0
// The counters of one rank: seconds in each step of the path, bytes, messages. The report is made of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace weir {

struct Tally {
  double plan_seconds = 0;          // planning, all of it in the first cycle
  double put_seconds = 0;           // the copy out of the model's buffer, with conversion and index swap
  double forward_seconds = 0;       // making messages for other hosts and handing them to MPI
  double rearrange_seconds = 0;     // placing what came in messages
  double write_seconds = 0;         // filling holes, and in the sink
  double commit_seconds = 0;        // making durable and visible
  double wait_seconds = 0;          // for other ranks, their messages, and a thread's writing
  double visible_seconds = 0;       // in Weir's calls that have ended
  double hidden_seconds = 0;        // of a thread's (or a server's) work, while the model was outside Weir's calls
  double slack_seconds = 0;         // writing within a call, while other ranks had not yet arrived
  double read_seconds = 0;          // of storage, for gets of all ranks
  double get_seconds = 0;           // from tiles to the model's buffer, and in messages between hosts
  std::int64_t bytes_put = 0;       // of model data, in external form
  std::int64_t bytes_in_files = 0;  // of all ranks together: what the variables' records that were put have
  std::int64_t records = 0;         // all of whose variables were put, of all files
  std::int64_t failures = 0;        // that became known to all ranks at an agreement
  std::int64_t puts = 0;
  std::int64_t plans = 0;
  std::int64_t cycles = 0;
  std::int64_t gets = 0;        // calls
  std::int64_t prefetches = 0;  // records of variables that were asked for ahead
  std::int64_t bytes_got = 0;   // of gets of all ranks, in external form, elements that several ranks want for each
  std::int64_t bytes_read = 0;
  std::int64_t bytes_ahead = 0;  // that the system was asked to have at hand
  std::int64_t opens = 0;        // of files to read
};

// The steps of the path, as reports call them, and where their seconds are counted.
struct StepTime {
  const char* name;
  double Tally::*seconds;
};
inline constexpr std::array<StepTime, 7> step_times{{{"plan", &Tally::plan_seconds},
                                                     {"put", &Tally::put_seconds},
                                                     {"forward", &Tally::forward_seconds},
                                                     {"rearrange", &Tally::rearrange_seconds},
                                                     {"write", &Tally::write_seconds},
                                                     {"commit", &Tally::commit_seconds},
                                                     {"wait", &Tally::wait_seconds}}};

// How long a rank waited in Weir's calls for ranks that computed longer: the load imbalance of the model, which no
// output removes. Between two agreements of all ranks each was outside Weir's calls for some time. A rank that was
// outside for less than the one that was outside longest would have waited for that one anyway: that much of its waits
// since the last agreement is load imbalance, the rest is the cost of output. Clocks of different ranks are not
// compared. Pure, Local.

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
