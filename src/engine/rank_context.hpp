// SPDX-License-Identifier: Apache-2.0
// The state that the steps of the path share on one rank: configuration, hosts, memory, storage, and the sums for the
// report.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/config.hpp"
#include "base/host.hpp"
#include "base/tally.hpp"
#include "base/trace.hpp"
#include "engine/staging.hpp"
#include "formats/definition.hpp"
#include "mpi/comm.hpp"
#include "mpi/host_status.hpp"
#include "mpi/liveness_check.hpp"
#include "plan/layout.hpp"
#include "plan/machine.hpp"
#include "storage/storage_calls.hpp"

namespace weir {

struct RankContext {
  // Collective over `communicator`. All arguments outlive this.
  // Errors: WEIR_EMEMORY if a host cannot provide buffer_limit, WEIR_ECONFIG for writer_cores; alike on all ranks.
  RankContext(std::shared_ptr<const Config> settled, const Comm& communicator, Trace& spans, Layouts& numbered);
  RankContext(const RankContext&) = delete;
  RankContext& operator=(const RankContext&) = delete;

  // Begins a wait in a call.
  // Thread: the thread of the rank's calls.
  Deadline deadline() const noexcept { return Deadline(config->timeout_seconds, &liveness_check); }
  // Returns how memory is shared out under the current configuration.
  MemoryShares shares() const;
  // Allocates pages of tile memory for a file that `writers` will write, so that its first puts need not wait for the
  // system. The contents of tile memory stay. Local.
  void expect(const Geometry& geometry, const std::vector<int>& writers) noexcept;
  // Whether this is a rank of the model, not a server.
  bool computes() const noexcept;
  std::string this_rank() const;  // "rank 3: "
  // What the ranks of this host may take, where the job has less memory there; "": it has enough. Local.
  std::string memory_warning() const;

  std::shared_ptr<const Config> config;  // `strategy: auto` replaces it between cycles
  const Comm& comm;
  Trace& trace;
  Layouts& layouts;  // of all puts
  mutable LivenessCheck liveness_check;
  StorageCalls storage;  // makes the storage calls that the rank waits for
  Comm host;             // the ranks of this rank's host
  Machine machine;
  Reach reach;
  CoreSet writer_cores;  // of the writer thread; empty: the rank's own
  Staging staging;
  HostStatus host_status;
  Tally tally;

 private:
  Staging share_memory();

  std::int64_t expected_bytes_ = 0;  // most so far, of this rank
};

}  // namespace weir
