// SPDX-License-Identifier: Apache-2.0
#include "simulate/running.hpp"

#include <algorithm>
#include <ctime>

namespace weir::simulate {

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

void run_all(Job& job, std::vector<Task>& lives) {
  for (Task& life : lives) life.start(job.engine);
  job.engine.run();
  for (std::size_t rank = 0; rank < lives.size(); ++rank)
    require(lives[rank].done(), WEIR_EINTERNAL,
            [&] { return "rank " + std::to_string(rank) + " of the simulated job waits for what does not come"; });
}

void add_up(const Job& job, Result& result) {
  for (const RankState& state : job.states) {
    for (std::size_t s = 0; s < state.times.steps.size(); ++s) {
      result.mean[s] += state.times.steps[s] / static_cast<double>(job.states.size());
      result.largest[s] = std::max(result.largest[s], state.times.steps[s]);
    }
  }
  result.ranks = job.ranks();
  result.nodes = job.nodes();
  result.seconds = job.now();
  result.messages = job.network.messages();
  result.message_bytes = job.network.bytes();
  result.busy = {{"memory of a node", job.memory.busy_seconds()},
                 {"card out", job.network.busiest_out()},
                 {"card in", job.network.busiest_in()},
                 {"network", job.network.busy_seconds()},
                 {"storage server", job.storage.busiest_server()},
                 {"storage", job.storage.busy_seconds()}};
  result.events = job.engine.events();
}

}  // namespace weir::simulate
