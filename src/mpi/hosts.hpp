// SPDX-License-Identifier: Apache-2.0
// Determines which ranks are on one host: those that can share memory, or, if the configuration says so, a part of them
// (base/host_part.hpp). Collective.
#pragma once

#include <vector>

#include "mpi/comm.hpp"

namespace weir {

// The host of this rank.
Comm host_of(const Comm& comm, int ranks_per_host, const Deadline& deadline);
// The lowest rank of each rank's host (plan/machine.hpp makes a machine of them). host: as above.
std::vector<int> leaders_of(const Comm& comm, const Comm& host, const Deadline& deadline);

}  // namespace weir
