// SPDX-License-Identifier: Apache-2.0
// `strategy: auto`: which of a few ways to write is the fastest here, found out on the model's own output.
//
//  1. The first way is a table's, where an earlier run or `weir tune` has left one (advice/tuned_table.hpp), or the one
//     that safe rules name. What an earlier run has found out by trying is trusted.
//  2. Else each way is tried for two records of a file, one that was only simulated like those of the rules. Its cost
//     is the time from the end of the first to the end of the second, computing included, since hiding output is the
//     point. Postponed work is counted too: a way that writes in the background costs at least half of the time from
//     the end of the first record until both are written; to the cost of another way half of what was left to write
//     after the second is added.
//  3. The cheapest way is kept.
//  4. While it is kept, the time between records is watched. Where it has grown by more than a quarter, or is so much
//     longer than the earlier run's, the ways are tried again: the model may do other things now, or the storage.
//
// Pure: its input is the time, its output the next step. Ranks with the same costs decide alike; times are those of the
// rank that decides. Not thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/config.hpp"

namespace weir {

// Keys over the user's configuration, with their values.
using Settings = std::vector<std::pair<std::string, std::string>>;

struct Way {
  Settings settings;

  // "strategy: remap, writers: 4"
  std::string words() const;
  // The configuration with these keys; `origin` is told where one is not known or has a value it does not allow: throws
  // Error(WEIR_ECONFIG).
  Config over(Config asked, const std::string& origin) const;
};

class Advisor {
 public:
  // Where the first way comes from.
  enum class Origin { rules, simulated, measured };
  // ways: not empty, the first one is under way. One that was measured is trusted, so nothing is tried.
  Advisor(std::vector<Way> ways, Origin origin);
  // What a record took by the first way in an earlier run of the same kind.
  void expect(double seconds) noexcept { costs_[0] = seconds; }

  // The way to write by now.
  const Way& way() const noexcept { return ways_[current_]; }
  // What was found out, and is worth keeping for the next run: seconds a record by the way kept, and by the first one.
  bool found() const noexcept { return found_; }
  double cost() const noexcept { return costs_[current_]; }
  double first_cost() const noexcept { return costs_[0]; }
  // A record of the file is put. True: what is under way shall be written, and the way judged.
  [[nodiscard]] bool record_ended(double now);
  // All of it is written: seconds a record by this way. beside: it writes while the model computes.
  double judge(double now, bool in_background) const;
  // As judged. True where the way to write by is another one now.
  [[nodiscard]] bool decide(double seconds);
  // Of the rank that judges: the time between records has grown, since this was asked last.
  [[nodiscard]] bool worse();
  // Tries the ways again, beginning with this one.
  void try_again();
  bool trying() const noexcept { return trying_; }
  // The file whose records are counted is closed: what was measured of it alone is void.
  void break_off() noexcept { records_ = 0; }
  // The last change of mind, for the report.
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
