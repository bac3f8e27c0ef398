// SPDX-License-Identifier: Apache-2.0
#include "compute.hpp"

#include <cmath>
#include <ctime>

#include "base/clock.hpp"
#include "check.hpp"
#include "fixed_work.hpp"
#include "halo.hpp"
#include "jacobi.hpp"
#include "workloads/unevenness.hpp"

namespace weir::bench {
namespace {

// Stands for computing, without taking a processor from the other ranks.
void idle(double seconds) {
  timespec left{static_cast<time_t>(seconds), static_cast<long>(std::fmod(seconds, 1.0) * 1e9)};
  while (nanosleep(&left, &left) != 0) {
  }
}

const char* name_of(HaloKind kind) {
  return kind == HaloKind::none ? "none" : kind == HaloKind::all ? "all" : "neighbours";
}

// What a block gives to its neighbours; a number alone where there is no field.
std::array<std::int64_t, 3> layer_elements(const Extents& block) {
  if (block.empty()) return {1, 1, 1};
  return {block[1] * block[2], block[0] * block[2], block[0] * block[1]};
}

}  // namespace

Compute::Compute(const ComputeRequest& request, const Workload& work, MPI_Comm comm) : request_(request), comm_(comm) {
  check_mpi(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
  const bool sweeps = work.load == Load::jacobi;
  steps_ = sweeps || request.seconds > 0 ? request.steps.value_or(work.steps) : 0;
  if (steps_ == 0) return;
  if (sweeps) block_ = work.decompositions[0].count;
  halo_ = std::make_unique<Halo>(comm, layer_elements(block_));
  if (request.kind == ComputeKind::busy && request.seconds > 0) {
    work_ = std::make_unique<FixedWork>(comm, request.seconds / steps_);
  }
  begin();
}

Compute::~Compute() = default;

void Compute::begin() {
  if (!block_.empty()) field_ = std::make_unique<Jacobi>(block_, halo_->first());
  slack_seconds_ = computing_seconds_ = 0.0;
}

void Compute::run(std::int64_t phase) {
  const double u = workloads::unevenness(rank_, request_.imbalance_kind == Imbalance::drifting ? phase : 0);
  for (int step = 0; step < steps_; ++step) {
    if (request_.halo == HaloKind::all) slack_seconds_ += halo_->meet();
    if (field_) {
      for (auto& neighbour : halo_->neighbours()) field_->read_layer(neighbour.side, neighbour.out);
    }
    if (field_ || request_.halo == HaloKind::neighbours) slack_seconds_ += halo_->exchange();
    if (field_) {
      for (const auto& neighbour : halo_->neighbours()) field_->set_halo(neighbour.side, neighbour.in);
    }
    const double begin = now_seconds();
    compute_step(1.0 + request_.imbalance * u);
    computing_seconds_ += now_seconds() - begin;
  }
}

void Compute::compute_step(double share) {
  if (field_) field_->sweep();
  if (work_)
    work_->run(share);
  else
    idle(request_.seconds * share / steps_);
}

std::optional<double> Compute::residual() const {
  if (!field_) return std::nullopt;
  double change = field_->change();
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &change, 1, MPI_DOUBLE, MPI_MAX, comm_), "MPI_Allreduce");
  return change;
}

nlohmann::ordered_json Compute::describe() const {
  if (!active()) return nullptr;
  nlohmann::ordered_json description = {
      {"seconds", request_.seconds},
      {"imbalance", request_.imbalance},
      {"imbalance_kind", request_.imbalance_kind == Imbalance::drifting ? "drifting" : "fixed"},
      {"halo", field_ && request_.halo == HaloKind::none ? "neighbours" : name_of(request_.halo)},
      {"steps", steps_},
      {"sweeps", field_ != nullptr}};
  if (request_.seconds > 0) description["kind"] = work_ ? "busy" : "sleep";
  if (work_) description["planes_per_step"] = work_->planes();
  return description;
}

}  // namespace weir::bench
