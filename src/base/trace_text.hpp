// SPDX-License-Identifier: Apache-2.0
// The text of a trace, of a run (trace_file.hpp) or a simulated one: Chrome trace JSON, which Perfetto opens and `weir
// report` draws. An event a line, a process a host, a thread a rank and one more for its writer thread. Times are
// microseconds. Pure, Local.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/trace.hpp"

namespace weir {

// As it stands in JSON, in quotes.
std::string in_json(const std::string& text);

class TraceText {
 public:
  static constexpr int lanes = 2;  // of a rank: its own, its writer thread's

  // Of a run by what program, in its words.
  struct Head {
    std::string producer, strategy;
    int ranks, hosts;
  };
  struct Lane {
    int host, rank, number;
  };
  // Of an event, in JSON; "": it has none.
  struct Names {
    std::string_view variable, file;
  };

  explicit TraceText(const Head& head);
  // What is added is of this lane, until the next one.
  void go_to(const Lane& lane);
  void name_host(const std::string& name);
  void name_lane(std::int64_t dropped, double clock_ahead_seconds);
  // Its times in seconds since the run's begin.
  void add(const TraceEvent& event, const Names& names = {});
  void end() { text_ += "\n]}\n"; }
  // What was added since the last time.
  std::string take() { return std::exchange(text_, {}); }

 private:
  void line(std::string_view text);

  Lane lane_{};
  std::string place_;  // of it
  bool first_ = true;
  std::string text_;
};

}  // namespace weir
