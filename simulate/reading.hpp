// SPDX-License-Identifier: Apache-2.0
// A restart that all ranks read, on a machine that is not there: who reads what, what goes to whom and in which cycles
// are the library's (reading_script.hpp); what is modelled is what time it takes.
//
//  1. open     Rank 0 reads the definitions, and all meet.
//  2. get      One call a variable: ranks agree on what is read, owners read their tiles, all meet, what others want
//              goes to them by messages and through shared memory, all meet.
//  3. alone    Or each rank for itself, as weir_get_vara reads (plan/file_runs.hpp): what a node has read stays in its
//              page cache, for the other ranks of it, at no cost but a copy.
//
// Not simulated: planning (a run plans once a layout), what an opening costs, reading ahead, page caches before the
// run, files in chunks. The same inputs give the same result to the bit. Pure, Local.
#pragma once

#include "simulate/simulation.hpp"

namespace weir::simulate {

struct ReadingRequest {
  int ranks_per_node = 0;  // 0: as many as the profile has cores
  bool alone = false;      // each rank for itself
  Striping striping;
};

// `work` is one that is read; `config` as a run has it. Throws Error: the job does not fit the machine, what the
// library would refuse, or ranks of one host that would read from its page cache.
Result simulate_reading(const Profile& profile, const Workload& work, Config config, const ReadingRequest& request);

}  // namespace weir::simulate
