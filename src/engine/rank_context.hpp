// SPDX-License-Identifier: Apache-2.0
// The state that the steps of the path share on one rank: the configuration, the machine's hosts, memory, storage, and
// the sums for the report.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/config.hpp"
#include "base/host.hpp"
#include "base/tally.hpp"
#include "base/trace.hpp"
#include "engine/staging.hpp"
#include "flow/reach.hpp"
#include "formats/definition.hpp"
#include "mpi/comm.hpp"
#include "mpi/host_status.hpp"
#include "mpi/liveness_check.hpp"
#include "plan/layout.hpp"
#include "plan/machine.hpp"
#include "storage/storage_calls.hpp"

namespace weir {

struct RankContext {
  // Collective over `communicator`. All outlive this.
  RankContext(std::shared_ptr<const Config> settled, const Comm& communicator, Trace& spans, Layouts& numbered);
  RankContext(const RankContext&) = delete;
  RankContext& operator=(const RankContext&) = delete;

  // Of a wait in a call; by the thread of the rank's calls.
  Deadline deadline() const noexcept { return Deadline(config->timeout_seconds, &liveness_check); }
  // How memory is shared out as the configuration is now.
  MemoryShares shares() const;
  // A file of this geometry will be written by `writers`: gives tile memory its pages, so that no put of the first
  // records waits for the system to make them. What the memory holds stays.
  void expect(const Geometry& geometry, const std::vector<int>& writers) noexcept;
  // A rank of the model, and no server.
  bool computes() const noexcept;
  std::string this_rank() const;  // "rank 3: "

  std::shared_ptr<const Config> config;  // with `strategy: auto` another one takes its place between cycles
  const Comm& comm;
  Trace& trace;
  Layouts& layouts;  // all that puts are by
  mutable LivenessCheck liveness_check;
  StorageCalls storage;  // makes the calls to storage that the rank waits for
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
