// SPDX-License-Identifier: Apache-2.0
#include "fixed_work.hpp"

#include <algorithm>
#include <cmath>

#include "base/clock.hpp"
#include "check.hpp"

namespace weir::bench {
namespace {

// 2 x 9 MB. It begins with ones, so that no element ever comes near the numbers that processors are slow with.
const Extents field_extents = {128, 128, 128};

constexpr int trials = 4;  // the fastest counts: what else runs on the machine can only make one slower
constexpr double trial_seconds = 0.15;

}  // namespace

FixedWork::FixedWork(MPI_Comm comm, double seconds) : field_(field_extents, true, 1.0F) {
  double speed = 0.0;
  for (int trial = 0; trial < trials; ++trial) speed = std::max(speed, measure_speed(comm));
  planes_ = std::max<std::int64_t>(1, std::llround(speed * seconds));
}

double FixedWork::measure_speed(MPI_Comm comm) {
  check_mpi(MPI_Barrier(comm), "MPI_Barrier");
  const double begin = now_seconds();
  double elapsed = 0.0, swept = 0.0;
  for (; elapsed < trial_seconds; elapsed = now_seconds() - begin) {
    field_.sweep_planes(1);
    swept += 1.0;
  }
  double speed = swept / elapsed;
  int ranks = 1;
  check_mpi(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &speed, 1, MPI_DOUBLE, MPI_SUM, comm), "MPI_Allreduce");
  return speed / ranks;
}

void FixedWork::run(double share) {
  field_.sweep_planes(std::llround(static_cast<double>(planes_) * share));
}

}  // namespace weir::bench
