// SPDX-License-Identifier: Apache-2.0
// The loop of a server (strategy: servers): it makes each call that the model makes, without data, so that all ranks
// take part in collective steps. mpi/call_broadcast.hpp brings the calls.
#pragma once

#include "mpi/comm.hpp"

namespace weir {

class Instance;

// Serves until the model has finished. `all`: the model's ranks and the servers.
// Errors: an error of a call is the model's too, and the loop goes on; an error that ends the instance is thrown.
void run_server(Instance& weir, const Comm& all);

}  // namespace weir
