// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/config.hpp"
#include "base/tally.hpp"
#include "base/trace.hpp"
#include "mpi/board.hpp"
#include "mpi/comm.hpp"
#include "put/duty.hpp"
#include "put/reach.hpp"
#include "put/staging.hpp"
#include "write/storage_calls.hpp"

namespace weir {

// What a flow works with; the pipeline's, and outlives it.
struct FlowParts {
  const Config& config;
  const Comm& comm;
  const Machine& machine;
  const Reach& reach;
  Staging& staging;
  Board& board;
  Tally& tally;
  Trace& trace;
  std::vector<Status>& noted;  // failures of this rank, for the next meeting
  RollCall& roll_call;
  StorageCalls& storage;

  Deadline deadline() const noexcept { return Deadline(config.timeout_seconds, &roll_call); }
  // Writes the duty, by `write`, while the rank waits for it.
  template <class Write>
  void write_and_wait(const Duty& duty, Write write) const {
    if (!stores(duty)) return write();
    static_cast<void>(storage.run([write] { return write(), Status(); }, "a write"));
  }
};

}  // namespace weir
