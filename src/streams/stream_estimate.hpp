// SPDX-License-Identifier: Apache-2.0
// What a run with streams will write, and the memory that it takes; for users who plan one. Pure, Local.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "calendar/time_axis.hpp"
#include "streams/stream_plan.hpp"

namespace weir {

struct FileEstimate {
  std::string name;
  std::int64_t records = 0;
  std::int64_t bytes = 0;  // of data, uncompressed

  bool operator==(const FileEstimate&) const = default;
};
struct StreamEstimate {
  std::string name;                 // of the stream
  std::vector<FileEstimate> files;  // by their begin, those of one time together
  std::int64_t rank_bytes = 0;      // most memory of accumulators on a rank
};
// A run: a sample of each field at `start`, and after each `step` to `end`.
struct PlannedRun {
  Instant start = 0;
  Instant end = 0;
  Instant step = 0;  // microseconds, more than 0
};

// Estimates what a new run writes, a stream at a time in the order of the configuration. `ranks`: each holds as many
// elements as any other.
// Errors: WEIR_EARGUMENT for a step that passes the end of an interval, so that no sample meets it.
std::vector<StreamEstimate> estimate_streams(const std::vector<PlannedFile>& plan, const TimeAxis& axis,
                                             const PlannedRun& run, int ranks);

}  // namespace weir
