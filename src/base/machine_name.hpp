// SPDX-License-Identifier: Apache-2.0
// The name of the machine a run is on, by which profiles and tuned tables are known (docs/tuning.md). Local.
#pragma once

#include <string>
#include <string_view>

namespace weir {

// What SLURM_CLUSTER_NAME or LMOD_SYSHOST says, else the name of this host's kind: different hosts of one machine
// should give the same. Ranks must agree on that of rank 0.
std::string machine_name();

// "node" of "node17.cluster.org": up to the first dot, without a number at its end (and a - or _ before it). A name
// that is all number stays. Characters that a file's name should not have become '-'. Pure.
std::string machine_of_host(std::string_view host);

}  // namespace weir
