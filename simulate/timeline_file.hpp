// SPDX-License-Identifier: Apache-2.0
// The timeline of a simulated run, as src/trace_file.hpp writes that of a real one: Chrome trace JSON, an event a line,
// a process a node, a thread a rank and one for its writer thread. `weir report` draws both. Local.
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
void write_timeline(const TimelineFile& file, const std::vector<TimelineSpan>& spans);

}  // namespace weir::simulate
