// SPDX-License-Identifier: Apache-2.0
// The timeline of a simulated run, in the text of a run's trace (base/trace.hpp), a node for a host. Local.
#pragma once

#include <string>
#include <vector>

#include "simulate/result.hpp"

namespace weir::simulate {

struct TimelineFile {
  std::string path;
  std::string strategy;
  int ranks, nodes;  // of the job
};

// Throws Error(WEIR_EIO) where it cannot be written.
void write_timeline(const TimelineFile& file, std::vector<TimelineSpan> spans);

}  // namespace weir::simulate
