// SPDX-License-Identifier: Apache-2.0
// What a rank does that is kept for writing (strategy: servers): it makes each call that the model makes, with nothing
// to put or get of its own, so that collective steps have all their ranks.
#pragma once

#include "mpi/comm.hpp"

namespace weir {

class Instance;

// Until the model has finished. `all`: the model's ranks and the servers. Errors are all ranks' and the model has them;
// only one that ends the instance ends the serving, and is thrown.
void serve_the_model(Instance& weir, const Comm& all);

}  // namespace weir
