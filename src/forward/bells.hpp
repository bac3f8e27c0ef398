// SPDX-License-Identifier: Apache-2.0
// An empty message to all ranks out of reach: this one is out of sync.
#pragma once

#include <vector>

#include "memory/reach.hpp"
#include "mpi/comm.hpp"

namespace weir {

// `ended`: whether a request has come to its end.
bool ended(MPI_Request& request);

class Bells {
 public:
  // Over a communicator on which nobody else asks for its tag.
  Bells(const Comm& comm, const Reach& reach) : comm_(comm), reach_(reach) {}

  // Tells all other ranks that this one is out of sync; whether one of them has told so. Until all are drained. Waits
  // for nobody.
  void ring();
  bool rung() const;
  // Whether all are heard that this rank has rung.
  bool heard();
  void abandon() noexcept { sent_.clear(); }

 private:
  const Comm& comm_;
  const Reach& reach_;
  std::vector<MPI_Request> sent_;
};

}  // namespace weir
