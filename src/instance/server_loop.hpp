// SPDX-License-Identifier: Apache-2.0
// The loop of a rank that is reserved for writing (strategy: servers): it makes each call that the model makes, with no
// data of its own, so that all ranks take part in collective steps.
#pragma once

#include "mpi/comm.hpp"

namespace weir {

class Instance;

// Until the model has finished. `all`: the model's ranks and the servers. Errors are all ranks' and the model has them;
// only one that ends the instance ends the serving, and is thrown.
void run_server(Instance& weir, const Comm& all);

}  // namespace weir
