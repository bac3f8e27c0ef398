// SPDX-License-Identifier: Apache-2.0
// A run of a model with Weir on a machine that is not there. The planner (plan/), the scheduler (schedule/), the
// controls (schedule/) and the flow (flow/) are those of the library; memory runs full by its rules. What is modelled
// is what time things take. Told once:
//
//  1. script    Plans are made for all ranks, and with them the list of what every rank does in Weir's calls, the same
//               for all of them (script.hpp).
//  2. live      Each rank is a fiber: it computes, unevenly and with halos, puts (a copy through the node's memory),
//               and does what the library's flow says (flow/flow.hpp, rank_world.hpp), waiting where a rank would wait.
//               The file is committed in the library's order (flow/steps.hpp, simulated_file.hpp).
//  3. resources Cards, memory, servers and the control rank serve who comes first first (backlog.hpp). So the bytes
//               that pass each of them are exact, and no run is shorter than its busiest one takes. What is simplified
//               is told where it is: network.hpp, storage.hpp, collective_write.hpp, rank_world.hpp.
//
// Not simulated: planning (a run plans in its first cycle, and keeps the plans), part files' metadata; reading by
// itself (reading.hpp). What packing takes: packed_output.hpp. The same inputs give the same result to the bit. Pure,
// Local.
#pragma once

#include <cstdint>
#include <string>

#include "base/config.hpp"
#include "simulate/orders.hpp"
#include "simulate/packing.hpp"
#include "simulate/profile.hpp"
#include "simulate/result.hpp"
#include "simulate/storage.hpp"
#include "simulate/workload.hpp"

namespace weir::simulate {

struct RunRequest {
  int ranks_per_node = 0;   // 0: as many as the profile has cores
  bool output = true;       // false: the model computes and writes nothing
  bool puts_alone = false;  // each put is written at once, by those ranks that own something: as PnetCDF and PIO do
  Striping striping;
  PackingAsked packing;    // where the file's format packs
  int traced_ranks = 0;    // leave a timeline
  Orders orders;           // of an agent, for each put of strategy dynamic; empty: the configuration holds for all
  std::uint64_t seed = 1;  // of the ranks' speeds, where the profile has a spread
};

// `work.ranks` are the model's; ranks that the strategy reserves come on top. `config` as a run has it. Throws Error:
// the job does not fit the machine (more nodes than it has, more memory than a node has), or what the library would
// refuse.
Result simulate(const Profile& profile, const Workload& work, Config config, const RunRequest& request);

}  // namespace weir::simulate
