// SPDX-License-Identifier: Apache-2.0
// An empty message to all ranks whose memory this rank cannot reach: this rank is out of sync.
#pragma once

#include <vector>

#include "memory/reach.hpp"
#include "mpi/comm.hpp"

namespace weir {

// `ended`: whether a request has come to its end.
bool ended(MPI_Request& request);

class DesyncNotice {
 public:
  // Over a communicator on which no other rank asks for its tag.
  DesyncNotice(const Comm& comm, const Reach& reach) : comm_(comm), reach_(reach) {}

  // Tells all other ranks that this one is out of sync; whether one of them has told so. Until all are drained. Does not wait for another rank.
  void send();
  bool received() const;
  // Whether all are heard that this rank has rung.
  bool acknowledged();
  void abandon() noexcept { sent_.clear(); }

 private:
  const Comm& comm_;
  const Reach& reach_;
  std::vector<MPI_Request> sent_;
};

}  // namespace weir
