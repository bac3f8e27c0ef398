// SPDX-License-Identifier: Apache-2.0
// Neighbours in a grid of processes, near-equal in three dimensions, the last axis varying fastest over the ranks, as
// the workloads on regular grids have it. Each pair hands over a message; who waits for one sleeps in between.
#pragma once

#include <mpi.h>

#include <array>
#include <vector>

#include "jacobi.hpp"
#include "mpi/comm.hpp"

namespace weir::bench {

class Halo {
 public:
  // `elements` floats are handed over at the sides of each axis. Collective over `comm`, as is destruction.
  Halo(MPI_Comm comm, const std::array<std::int64_t, 3>& elements);

  struct Neighbour {
    int rank;
    Side side;
    std::vector<float> out, in;  // what goes there, and what has come
  };
  [[nodiscard]] std::vector<Neighbour>& neighbours() { return neighbours_; }
  // Nothing lies before this rank on the slowest axis.
  [[nodiscard]] bool first() const { return first_; }

  // Hands `out` over and waits for `in` of all neighbours; returns the seconds waited.
  double exchange();
  // Waits for all ranks; returns the seconds waited.
  double meet();

 private:
  Comm comm_;
  std::vector<Neighbour> neighbours_;
  bool first_ = false;
};

}  // namespace weir::bench
