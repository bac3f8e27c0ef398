// SPDX-License-Identifier: Apache-2.0
// The counters of one rank: seconds in each step of the path, bytes, messages. instance/report.hpp makes the report of
// them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace weir {

struct Tally {
  double plan_seconds = 0;          // planning, all of it in the first cycle
  double put_seconds = 0;           // the copy out of the model's buffer, with conversion and index swap
  double forward_seconds = 0;       // making messages for other hosts and handing them to MPI
  double rearrange_seconds = 0;     // unpacking messages
  double write_seconds = 0;         // filling holes, and in the sink
  double commit_seconds = 0;        // making durable and visible
  double wait_seconds = 0;          // for other ranks, their messages, and a thread's writing
  double visible_seconds = 0;       // in Weir's calls that have ended
  double hidden_seconds = 0;        // of a thread's (or a server's) work, while the model was outside Weir's calls
  double slack_seconds = 0;         // writing within a call, while other ranks had not yet arrived
  double read_seconds = 0;          // of storage, for gets of all ranks
  double accumulate_seconds = 0;    // folding samples of streams
  double get_seconds = 0;           // from tiles to the model's buffer, and in messages between hosts
  std::int64_t bytes_put = 0;       // of model data, in external form
  std::int64_t bytes_in_files = 0;  // of all ranks: size of the variables' records that were put
  std::int64_t records = 0;         // of all files, that are complete
  std::int64_t failures = 0;        // that became known to all ranks at an agreement
  std::int64_t puts = 0;
  std::int64_t plans = 0;
  std::int64_t cycles = 0;
  std::int64_t gets = 0;        // calls
  std::int64_t prefetches = 0;  // records of variables that weir_prefetch asked for
  std::int64_t bytes_got = 0;   // of collective gets, in external form; once for each rank that needs an element
  std::int64_t bytes_read = 0;
  std::int64_t bytes_ahead = 0;  // that the system was asked to read ahead
  std::int64_t opens = 0;        // of files to read
};

// The steps of the path, as reports call them, and their seconds.
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
// output removes. Between two agreements each rank was outside Weir's calls for some time. A rank that was outside for
// less time than the longest one would have waited anyway: that much of its waits since the last agreement is load
// imbalance, and the rest is the cost of output. Clocks of different ranks are not compared. Pure, Local.
class LoadImbalance {
 public:
  // Seconds of one clock: now; spent in Weir's calls; spent waiting within them.
  struct Times {
    double now, in_calls, waiting;
  };

  // Returns seconds outside Weir's calls since the last agreement; 0 before the first one. Called when an agreement
  // begins.
  double computed(const Times& times) const noexcept {
    return begun_ ? std::max(0.0, times.now - last_.now - (times.in_calls - last_.in_calls)) : 0.0;
  }

  // Called when an agreement ends. `own`: this rank's computed(); `longest`: the largest of any rank.
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
