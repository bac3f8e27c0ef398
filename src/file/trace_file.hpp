// SPDX-License-Identifier: Apache-2.0
// Writes the trace of all ranks (base/trace.hpp) into one file. Rank 0 receives from the ranks in turn, a block of
// events at a time, so that it never holds all events of another rank. docs/observing.md describes the file.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/config.hpp"
#include "base/trace.hpp"
#include "formats/open_file.hpp"
#include "mpi/comm.hpp"
#include "plan/machine.hpp"

namespace weir {

class StorageCalls;

// The names of a file and its variables, as JSON strings; made once for all events.
struct TracedFile {
  std::string path;
  std::vector<std::string> variables;
};
// Returns the names of a file.
TracedFile traced(const OpenFile& file);

// What writing the trace needs.
struct TracedRun {
  const Config& config;
  const Comm& comm;
  const Machine& machine;
  std::map<int, TracedFile> files;  // by serial number
  StorageCalls* calls = nullptr;    // makes the storage calls; nullptr: rank 0's own thread
  Watch* watch = nullptr;           // of waits for other ranks
};

// Returns how many events a lane keeps: fewer with many ranks, so that a viewer can open the file.
std::size_t traced_events(int ranks) noexcept;

// Writes config.trace; the current call counts as ended now. Times are microseconds since the beginning of weir_init on
// rank 0. Ranks of its host share its clock; others compare theirs with it here, by a few short messages.
// Collective.
// Errors: WEIR_EIO, alike on all ranks.
void write_trace(const TracedRun& run, Trace& trace);

}  // namespace weir
