// SPDX-License-Identifier: Apache-2.0
// A process without MPI: a program on a login node, where MPI_Init may end it. Comm::duplicate makes a communicator of
// it alone from MPI_COMM_SELF while MPI is not initialised, and what is called on that is done without MPI. Local.
#pragma once

#include "mpi/comm.hpp"

namespace weir {

bool mpi_is_initialised();

// Nobody else is there to ask or to tell.
inline bool alone(const Comm& comm) noexcept {
  return comm.raw() == MPI_COMM_NULL && comm.size() == 1;
}

}  // namespace weir
