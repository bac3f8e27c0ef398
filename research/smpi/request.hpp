// SPDX-License-Identifier: Apache-2.0
// One run to be compared, as research/simgrid asks for it: a JSON file with "profile" (path), "workload", "ranks",
// "ranks_per_node", "scale", "records" and "config" (Weir's keys, as a map). Local.
#pragma once

#include <string>

#include "base/config.hpp"
#include "simulate/workload.hpp"

namespace weir::simgrid {

struct Request {
  std::string profile;
  simulate::Workload work;
  Config config;
  std::string config_text;  // YAML, for whoever starts a Weir
  int ranks_per_node = 1;
};

// Throws Error with a sentence.
Request read_request(const std::string& path);

}  // namespace weir::simgrid
