// SPDX-License-Identifier: Apache-2.0
// After a deadline has passed: who is there? Ranks that have all waited in vain for somebody tell rank 0, which answers
// with the ranks it has not heard of. Messages between pairs only, so that it works where collectives are stuck; what
// is not received stays with a communicator that is given up.
#pragma once

#include <string>

#include "mpi/comm.hpp"

namespace weir {

// "rank(s) 3, 5 did not answer", or what else is known after `seconds`. Local: nobody need come.
std::string call_roll(const Comm& comm, double seconds);

}  // namespace weir
