// SPDX-License-Identifier: Apache-2.0
// The simulator as programs call it, weir-simulate and Python alike: a request in JSON, the answer in JSON.
//
// Request: {"profile": path, or "profile_text": YAML, "workload": name, "ranks": n,
//   "modes": ["remap:writers=4", "none", ...],
//   and, where they are not the defaults: "ranks_per_node", "scale", "records", "compute": {"seconds", "imbalance",
//   "kind": "fixed" | "drifting", "steps", "halo": "neighbours" | "all" | "none"}, "stripe_count", "stripe_size"
//   (bytes), "config": {key: value, ...} for all modes, "seed", "orders": [[flush, writers], ...]
//   (orders.hpp), "trace": path of a timeline of the last mode, "traced_ranks"}
// Answer: {"machine": name, "runs": [{"workload", "ranks", "mode", "bytes", "seconds", "visible_seconds",
// "late_seconds", "steps":
// {...},
//   "busy": {...}, ...}]}; of the workload restart, which is read, "bytes_read", "reads" (requests to storage), "opens"
//   and "readers" too: the names that weir-bench's results have, seconds being numbers.
// Pure but for the files it is told of. Local.
#pragma once

#include <string>

namespace weir::simulate {

// Throws Error with a sentence.
std::string study(const std::string& request);

}  // namespace weir::simulate
