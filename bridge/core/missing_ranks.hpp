// SPDX-License-Identifier: Apache-2.0
// Names the ranks on which something is so, and those that did not reach a first agreement of all ranks: on ranks where
// the bridge is not loaded no code answers.
#pragma once

#include <mpi.h>

#include <string>
#include <string_view>
#include <vector>

#include "mpi/comm.hpp"

namespace weir::bridge {

// "2, 3", and of many the first ones and "...". Local.
std::string named_ranks(std::vector<int> ranks);

// The job's numbers of the ranks of `comm` on which `here` is true, in their order; alike on all ranks. Collective.
std::vector<int> ranks_where(bool here, const Comm& comm, const Deadline& deadline, std::string_view what);

// "2, 3": the ranks of `comm` that did not call this within `seconds` of the caller, as some of those that did have it;
// "" on other ranks. Messages of this are left where no rank takes them. Local.
std::string missing_ranks(MPI_Comm comm, double seconds);

}  // namespace weir::bridge
