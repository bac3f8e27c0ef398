// SPDX-License-Identifier: Apache-2.0
// What a model does between two outputs: steps, each of which begins with an exchange of halos, where a rank that was
// fast waits for its slower neighbours, and goes on with computing. That is fixed work (fixed_work.hpp), or sleeping,
// so that ranks that share a processor compute at once as on a machine where each has its own, which hides what output
// takes from the processors. `jacobi` also sweeps over a real field.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "workload.hpp"

namespace weir::bench {

enum class Imbalance {
  fixed,     // a rank is slow, or fast, for the whole run
  drifting,  // another one in each phase
};

enum class ComputeKind {
  busy,   // the same work each time, however long it takes: as much as all ranks at once do in that time
  sleep,  // the same time each time
};

// Whom a rank waits for when a step begins.
enum class HaloKind { none, neighbours, all };

struct ComputeRequest {
  double seconds = 0.0;    // of one phase, before each record
  double imbalance = 0.0;  // a rank takes seconds * (1 + imbalance * u), u in [-1, 1]
  ComputeKind kind = ComputeKind::busy;
  Imbalance imbalance_kind = Imbalance::fixed;
  HaloKind halo = HaloKind::neighbours;
  std::optional<int> steps;  // of a phase; 0: no computing at all; unset: the workload's own
};

class FixedWork;
class Jacobi;
class Halo;

class Compute {
 public:
  // Collective over `comm`, as is destruction. The references outlive it.
  Compute(const ComputeRequest& request, const Workload& work, MPI_Comm comm);
  ~Compute();
  Compute(const Compute&) = delete;
  Compute& operator=(const Compute&) = delete;

  [[nodiscard]] bool active() const { return steps_ > 0; }
  // Forgets what was computed and waited. Local.
  void begin();
  // The phase before record `phase`. Collective in as much as neighbours wait for one another.
  void run(std::int64_t phase);
  // What this rank has waited for others in exchanges since begin(). Local.
  [[nodiscard]] double slack_seconds() const { return slack_seconds_; }
  // What its computing has taken since begin(), exchanges left out. Local.
  [[nodiscard]] double computing_seconds() const { return computing_seconds_; }
  // jacobi: the largest change of any element in the last sweep, over all ranks. Collective.
  [[nodiscard]] std::optional<double> residual() const;
  // The request as it is carried out, for the results; null where nothing is computed.
  [[nodiscard]] nlohmann::ordered_json describe() const;

 private:
  // A step's part of the seconds, for a rank that has `share` of them.
  void compute_step(double share);

  const ComputeRequest& request_;
  MPI_Comm comm_;
  int rank_ = 0;
  int steps_ = 0;
  Extents block_;                    // of the field, where there is one
  std::unique_ptr<Jacobi> field_;    // nullptr: the workload computes nothing itself
  std::unique_ptr<FixedWork> work_;  // nullptr: sleeping, or no seconds
  std::unique_ptr<Halo> halo_;
  double slack_seconds_ = 0.0, computing_seconds_ = 0.0;
};

}  // namespace weir::bench
