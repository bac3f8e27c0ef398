// SPDX-License-Identifier: Apache-2.0
// Machines for tests: simple enough to know what must come out.
#pragma once

#include <string>

#include "simulate/profile.hpp"
#include "simulate/simulation.hpp"

namespace weir::simulate::tests {

// Nodes of 4 cores and 1 GB/s cards before a storage of 2 GB/s that nothing slows down.
inline const std::string plain_machine = R"(
weir_machine: 1
name: plain
nodes: {cores: 4, memory: 64GiB}
copy: {bandwidth: 10GB/s}
network:
  within: {latency: 1us, bandwidth: 10GB/s}
  between: {latency: 2us, bandwidth: 1GB/s}
storage: {shared: true, coherent: true, rate: 2GB/s, total: 2GB/s}
)";

inline Profile plain() {
  return parse_profile(plain_machine, "the machine of the test");
}

inline Workload weak(int ranks, double scale = 0.05, std::int64_t records = 1) {
  WorkloadRequest request;
  request.ranks = ranks;
  request.scale = scale;
  request.records = records;
  return make_workload(request);
}

inline Config with(const std::string& text) {
  return load_config((text + "\n").c_str());
}

}  // namespace weir::simulate::tests
