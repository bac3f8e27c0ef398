// SPDX-License-Identifier: Apache-2.0
// The trace of all ranks as one file (base/trace.hpp). Rank 0 writes it, receiving from the ranks in turn and a block
// of events at a time, so that no rank ever holds all events of another one. Times are microseconds since the beginning
// of weir_init on rank 0, by its clock: ranks of its host share that clock, others compare theirs with it by a few
// short messages, once, here.
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

// What the trace calls a file and its variables, as they stand in JSON: made once and not for every event.
struct TracedFile {
  std::string path;
  std::vector<std::string> variables;
};
TracedFile traced(const OpenFile& file);

struct TracedRun {
  const Config& config;
  const Comm& comm;
  const Machine& machine;
  std::map<int, TracedFile> files;  // by number
  StorageCalls* calls = nullptr;    // makes those to the storage; nullptr: rank 0's own thread
  Watch* watch = nullptr;           // of waits for other ranks
};

// Events a lane keeps: fewer with many ranks, so that the file can be looked at.
std::size_t traced_events(int ranks) noexcept;

// Writes config.trace. The call that goes on is taken to end now. Collective; all ranks get the same Error where the
// file cannot be written.
void write_trace(const TracedRun& run, Trace& trace);

}  // namespace weir
