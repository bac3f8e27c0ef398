// SPDX-License-Identifier: Apache-2.0
// Support for a process without MPI: a program on a login node, where MPI_Init may end it. Comm::duplicate makes a
// communicator of one rank from MPI_COMM_SELF while MPI is not initialised, and calls on it do not use MPI. Local.
#pragma once

#include "mpi/comm.hpp"

namespace weir {

bool mpi_is_initialised();

// No other rank is there to ask or to tell.
inline bool alone(const Comm& comm) noexcept {
  return comm.raw() == MPI_COMM_NULL && comm.size() == 1;
}

}  // namespace weir
