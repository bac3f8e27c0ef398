// SPDX-License-Identifier: Apache-2.0
// What network cards need for a restart at the least: what each host's ranks want comes into it once, and the file
// leaves the storage once.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "options.hpp"
#include "restart.hpp"

namespace weir::bench {

struct CardsNeed {
  std::int64_t hosts = 0;
  std::int64_t host_bytes = 0;   // into the host whose ranks want most
  std::int64_t hosts_bytes = 0;  // into all hosts, which is what leaves the storage
  double seconds = 0;            // by the cards' speeds; 0: they are not known
};

// Collective over `comm`.
CardsNeed cards_need(const RestartState& state, const CardSpeeds& cards, MPI_Comm comm);

}  // namespace weir::bench
