// SPDX-License-Identifier: Apache-2.0
// What a simulated run took. Pure, Local.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/trace.hpp"

namespace weir::simulate {

// Seconds of one rank. Steps are named as in a run's report; `hidden` is writing in the background, `slack` writing
// while the rank would have waited anyway.
struct RankTimes {
  double compute = 0, halo = 0, visible = 0, hidden = 0, slack = 0;
  std::array<double, step_count> steps{};  // by Step
  std::int64_t bytes_written = 0;

  double& of(Step step) noexcept { return steps[static_cast<std::size_t>(step)]; }
  double of(Step step) const noexcept { return steps[static_cast<std::size_t>(step)]; }
};

// A span of the timeline: of a rank's own lane, or of its writer thread's.
struct TimelineSpan {
  double begin, end;
  int rank;
  int node;  // of the rank
  Step step;
  bool writer;
  std::int64_t number;  // of the record of a put, else of the cycle; -1: none
};

struct Result {
  double seconds = 0;          // of the run, computing included
  double visible_seconds = 0;  // what a rank spent in Weir's calls at the most, without:
  double late_seconds = 0;     // what one waited there for ranks that computed longer (base/tally.hpp)
  double output_seconds = 0;   // from the first to the last, without what was computed: seconds of no output less
  std::int64_t bytes = 0;
  std::int64_t messages = 0, message_bytes = 0, control_messages = 0;
  std::int64_t relayed_messages = 0;  // of the messages, those to a relay
  std::int64_t plans = 0, cycles = 0, high_water_bytes = 0;
  std::int64_t bytes_written = 0;
  double compress_seconds = 0;             // of all ranks' cores, for chunks
  std::int64_t bytes_read = 0, reads = 0;  // of a restart: from storage, and requests to it
  std::int64_t opens = 0, readers = 0;     // of its file; ranks that read
  int writers = 0;                         // ranks that wrote
  std::array<double, step_count> mean{}, largest{};
  double mean_halo = 0, largest_hidden = 0, largest_slack = 0;
  // Seconds that the busiest of each kind of resource was busy: no run can be shorter than any of them.
  std::vector<std::pair<std::string, double>> busy;
  int ranks = 0, nodes = 0;  // of the job, those that only write among them
  std::int64_t events = 0;
  double planning_cpu_seconds = 0, running_cpu_seconds = 0;  // of the simulator itself
  std::vector<TimelineSpan> timeline;
};

}  // namespace weir::simulate
