// SPDX-License-Identifier: Apache-2.0
// What a simulated model writes, as the catalogue says (workloads/catalogue.hpp), and how it computes. What a rank
// holds is asked for rank by rank and kept nowhere. Pure, Local.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "plan/layout.hpp"
#include "workloads/catalogue.hpp"

namespace weir::simulate {

struct Decomposition {
  Shape shape;
  std::function<Layout(int rank)> layout;  // of the model's ranks
  bool exact = true;                       // every element is held by one rank, and by one only
};

struct Variable {
  std::string name;
  int element_bytes = 4;
  bool record = false;
  int decomposition = 0;
};

enum class Halo { none, neighbours, all };

// Between two outputs: `steps` of `seconds` in all, where a rank needs (1 + imbalance u) of them, u in [-1, 1].
struct Compute {
  double seconds = 0;
  double imbalance = 0;
  bool drifting = false;
  int steps = 1;
  Halo halo = Halo::neighbours;
  bool sleeps = false;  // it takes no core meanwhile (weir-bench's --compute-kind sleep)
};

struct Workload {
  std::string name;
  int ranks = 0;
  std::int64_t records = 1;
  bool is_read = false;  // and not written
  std::vector<Decomposition> decompositions;
  std::vector<Variable> variables;
  Compute compute;
  std::array<int, 3> grid{};  // of ranks, x fastest: whose neighbours exchange halos

  std::int64_t elements(const Variable& variable) const;
  std::int64_t bytes() const;  // of all variables and records
};

struct WorkloadRequest : workloads::Request {
  Compute compute;
};

// `restart` (workloads/restart.hpp) too, which is read. Throws Error(WEIR_EARGUMENT) for an unknown name, or a scale or
// number that is impossible.
Workload make_workload(const WorkloadRequest& request);

}  // namespace weir::simulate
