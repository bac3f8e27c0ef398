// SPDX-License-Identifier: Apache-2.0
#include "simulate/model.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "workloads/unevenness.hpp"

namespace weir::simulate {

namespace {

constexpr double slowest = 0.2;  // no rank is slower than a fifth of the mean speed, however wide the spread

}  // namespace

Model::Model(Job& job, std::uint64_t seed) : job_(job), speed_(job.states.size(), 1.0) {
  std::mt19937_64 random(seed);
  const double spread = job.in.profile.compute_spread.value;
  for (double& speed : speed_) {
    // Two uniform numbers and a logarithm: the library's own normal distribution differs between compilers.
    const double u = (static_cast<double>(random() >> 11) + 1) * 0x1p-53,
                 v = static_cast<double>(random() >> 11) * 0x1p-53;
    const double normal = std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * v);
    speed = 1 / std::max(slowest, 1 + spread * normal);
  }
  const Compute& compute = job.in.work.compute;
  if (compute.seconds <= 0 || compute.halo == Halo::none) return;
  const auto ranks = static_cast<std::size_t>(job.in.work.ranks);
  step_.assign(ranks, 0);
  neighbours_.resize(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    moved_.emplace_back(job.engine);
    if (compute.halo == Halo::neighbours) find_neighbours(static_cast<int>(rank));
  }
}

void Model::find_neighbours(int rank) {
  const std::array<int, 3>& grid = job_.in.work.grid;
  const int stride[] = {grid[1] * grid[2], grid[2], 1};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int place = rank / stride[axis] % grid[axis];
    if (place > 0) neighbours_[static_cast<std::size_t>(rank)].push_back(rank - stride[axis]);
    if (place + 1 < grid[axis]) neighbours_[static_cast<std::size_t>(rank)].push_back(rank + stride[axis]);
  }
}

double Model::seconds(int rank, std::int64_t phase) const {
  const Compute& compute = job_.in.work.compute;
  const double u = workloads::unevenness(rank, compute.drifting ? phase : 0);
  return compute.seconds * (1 + compute.imbalance * u) * speed_[static_cast<std::size_t>(rank)];
}

void Model::compute(int rank, std::int64_t phase) {
  const Compute& compute = job_.in.work.compute;
  if (compute.seconds <= 0 || compute.steps <= 0) return;
  const double step = seconds(rank, phase) / compute.steps;
  RankTimes& times = job_.rank(rank).times;
  for (int s = 0; s < compute.steps; ++s) {
    const double begin = job_.now();
    if (compute.halo != Halo::none) exchange(rank, static_cast<int>(phase) * compute.steps + s + 1);
    times.halo += job_.now() - begin;
    const double started = job_.now();
    work(job_.rank(rank), step);
    times.compute += job_.now() - started;
  }
}

// And what threads take of its core meanwhile.
void Model::work(RankState& state, double seconds) {
  state.computes = !job_.in.work.compute.sleeps;
  for (; seconds > 0; seconds = std::exchange(state.taken, 0.0)) job_.engine.pause(seconds);
  state.computes = false;
}

void Model::exchange(int rank, int step) {
  const auto at = static_cast<std::size_t>(rank);
  step_[at] = step;
  if (job_.in.work.compute.halo == Halo::all) {
    came_.resize(std::max(came_.size(), static_cast<std::size_t>(step) + 1), 0);
    if (++came_[static_cast<std::size_t>(step)] == job_.in.work.ranks)
      moved_.front().tell();
    else
      while (came_[static_cast<std::size_t>(step)] < job_.in.work.ranks) moved_.front().wait();
    job_.engine.pause(job_.meeting_seconds());
    return;
  }
  moved_[at].tell();
  for (const int other : neighbours_[at])
    while (step_[static_cast<std::size_t>(other)] < step) moved_[static_cast<std::size_t>(other)].wait();
  job_.engine.pause(job_.in.profile.between.latency.value);
}

}  // namespace weir::simulate
