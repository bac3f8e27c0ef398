// SPDX-License-Identifier: Apache-2.0
// `strategy: auto`: which of a few ways to write is the fastest here, measured on the model's own output.
// engine/advising.hpp asks it and changes the way; advice/tuned_table.hpp remembers the result. Pure: its input is the
// time, its output the next step.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/config.hpp"

namespace weir {

// Keys that replace the user's configuration, with their values.
using Settings = std::vector<std::pair<std::string, std::string>>;

// A way to write.
struct Way {
  Settings settings;

  // Returns "strategy: remap, writers: 4".
  std::string words() const;
  // Returns `asked` with these keys. `origin` is for messages.
  // Errors: WEIR_ECONFIG if a key is not known or a value is not allowed.
  Config over(Config asked, const std::string& origin) const;
};

// How the way is found:
//
//  1. The first way is a table's, if an earlier run or `weir tune` has left one, or the one that safe rules name. A way
//     that an earlier run has measured is trusted.
//  2. Else each way is tried for two records of a file; one that was only simulated is tried like those of the rules.
//     Its cost is the time from the end of the first to the end of the second, computing included, since the aim is to
//     hide output. Postponed work counts too: a way that writes in the background costs at least half of the time from
//     the end of the first record until both are written; the cost of another way includes half of what was left to
//     write after the second.
//  3. The cheapest way is kept.
//  4. While it is kept, the time between records is watched. If it has grown by more than a quarter, or is that much
//     longer than the earlier run's, the ways are tried again: the model, or the storage, may behave otherwise now.
//
// Ranks with the same costs decide alike; the times are those of the rank that decides. Local. Thread: one at a time.
class Advisor {
 public:
  // Where the first way comes from.
  enum class Origin { rules, simulated, measured };
  // Requires: `ways` is not empty; the first one is in use. A measured way is trusted, so none is tried.
  Advisor(std::vector<Way> ways, Origin origin);
  // Sets what a record took by the first way in an earlier run of the same kind.
  void expect(double seconds) noexcept { costs_[0] = seconds; }

  // The way to write now.
  const Way& way() const noexcept { return ways_[current_]; }
  // Whether there is a result that is worth keeping for the next run: seconds a record of the way kept, and of the
  // first one.
  bool found() const noexcept { return found_; }
  double cost() const noexcept { return costs_[current_]; }
  double first_cost() const noexcept { return costs_[0]; }
  // Notes that a record is put. Returns whether pending output is to be written and the way judged.
  [[nodiscard]] bool record_ended(double now);
  // Returns seconds a record by this way, once all is written. `in_background`: it writes while the model computes.
  double judge(double now, bool in_background) const;
  // Takes a judgement. Returns whether the way to write has changed.
  [[nodiscard]] bool decide(double seconds);
  // Returns whether the time between records has grown since the last call, on the rank that judges.
  [[nodiscard]] bool worse();
  // Tries the ways again, beginning with this one.
  void try_again();
  bool trying() const noexcept { return trying_; }
  // Drops the measurements of a file that is closed.
  void break_off() noexcept { records_ = 0; }
  // The last decision, for the report.
  const std::string& line() const noexcept { return line_; }

 private:
  void keep_cheapest();

  std::vector<Way> ways_;
  std::vector<double> costs_;  // of the last trial, seconds a record; 0: not tried
  std::size_t current_ = 0;
  std::size_t tried_ = 0;  // ways of this series of trials that are judged
  bool trying_;
  bool found_ = false;
  int records_ = 0;  // of this trial, or since the watch began
  double first_ = 0, last_ = 0;
  std::string line_;
};

}  // namespace weir
