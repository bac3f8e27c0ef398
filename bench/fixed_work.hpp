// SPDX-License-Identifier: Apache-2.0
// Computing that is the same work each time, on a field of this rank's own that no cache of a core holds: planes of a
// stencil's sweep. How many of them are the given seconds is measured once, while all ranks compute at once, so that
// ranks that share a core share it here too; all of them then have the same number.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "jacobi.hpp"

namespace weir::bench {

class FixedWork {
 public:
  // What all ranks at once do in so many seconds. Collective over `comm`.
  FixedWork(MPI_Comm comm, double seconds);

  // `share` of the work: 1, or what the imbalance makes of it. Local.
  void run(double share);
  // What run(1) sweeps.
  [[nodiscard]] std::int64_t planes() const { return planes_; }

 private:
  // Planes a second on the mean rank, of all ranks at once. Collective.
  double measure_speed(MPI_Comm comm);

  Jacobi field_;
  std::int64_t planes_;
};

}  // namespace weir::bench
