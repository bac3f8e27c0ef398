// SPDX-License-Identifier: Apache-2.0
// Runs the modes interleaved in one job on the same data: each repeat runs every mode once, and the order turns by one
// from repeat to repeat, so that what disturbs the machine for a while disturbs all alike.
#pragma once

#include "options.hpp"
#include "results.hpp"
#include "roster.hpp"

namespace weir::bench {

// Collective over the roster's model. The result is complete on rank 0. A mode that fails alike on all ranks is left
// out from then on and says so in its result. Throws BenchError where a rank fails alone.
RunResult run_modes(const Options& options, const Roster& roster);

// Weir's plans for the workload, of all modes that are Weir's. Collective.
nlohmann::ordered_json plan_modes(const Options& options, const Roster& roster);

}  // namespace weir::bench
