// SPDX-License-Identifier: Apache-2.0
// How unequally fast the ranks compute, all at once: the same work for each, a smoothing of a row that stays in the
// nearest cache. And a control rank's time for a message.
#include <unistd.h>

#include <cmath>

#include "base/clock.hpp"
#include "exchange.hpp"
#include "measure.hpp"

namespace weir::profile {

namespace {

constexpr std::size_t row_elements = 1024;

Span sweep(std::vector<float>& field, std::int64_t sweeps) {
  const double start = now_seconds();
  for (std::int64_t i = 0; i < sweeps; ++i)
    for (std::size_t x = 1; x + 1 < field.size(); ++x)
      field[x] = 0.25F * field[x - 1] + 0.5F * field[x] + 0.25F * field[x + 1];
  return Span::since(start);
}

// Ranks that have to share processors take turns: that is the kernel's doing and not their speed, and it evens out over
// a phase of a model. Then a rank's own processor time counts.
class ComputeClock {
 public:
  explicit ComputeClock(const Site& site) : shared_(site.host.size() > ::sysconf(_SC_NPROCESSORS_ONLN)) {}
  double seconds() const { return shared_ ? thread_processor_seconds() : now_seconds(); }

 private:
  bool shared_;
};

// Standard deviation of the ranks' times over their mean.
double spread_of(const Comm& comm, double seconds) {
  double sums[] = {seconds, seconds * seconds};
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, comm.raw()), "MPI_Allreduce");
  const double mean = sums[0] / comm.size();
  const double variance = std::max(0.0, sums[1] / comm.size() - mean * mean);
  return mean > 0 ? std::sqrt(variance) / mean : 0;
}

}  // namespace

void measure_compute(const Site& site, Sampler& sampler, Profile& profile) {
  std::vector<float> field(row_elements, 1.0F);
  field[row_elements / 2] = 2.0F;
  const std::int64_t sweeps = sampler.amount_for(compute_weight, 16, std::int64_t{1} << 40,
                                                 [&](std::int64_t many) { return sweep(field, many); });
  std::vector<double> spreads;
  const ComputeClock clock(site);
  sampler.repeat(compute_weight, [&] {
    const double begin = clock.seconds();
    const Span own = sweep(field, sweeps);
    spreads.push_back(std::min(1.0, spread_of(site.world, clock.seconds() - begin)));
    return own;
  });
  profile.compute_spread = estimate(std::move(spreads));
}

// All others send to the last rank, as they do where it is the control rank; it answers once.
void measure_control(const Site& site, Sampler& sampler, Profile& profile) {
  constexpr int message_bytes = 64, window = 8;
  const int control = site.ranks() - 1;
  Exchange exchange(site.world);
  std::vector<std::byte> message(message_bytes);
  const auto serve = [&](std::int64_t each) {
    const double start = now_seconds();
    for (std::int64_t i = 0; i < each * control; ++i)
      check_mpi(MPI_Recv(message.data(), message_bytes, MPI_BYTE, MPI_ANY_SOURCE, Exchange::data_tag, site.world.raw(),
                         MPI_STATUS_IGNORE),
                "MPI_Recv");
    for (int rank = 0; rank < control; ++rank)
      check_mpi(MPI_Send(nullptr, 0, MPI_BYTE, rank, Exchange::answer_tag, site.world.raw()), "MPI_Send");
    return Span::since(start);
  };
  const auto once = [&](std::int64_t each) {
    return site.rank() == control ? serve(each) : exchange.send({each, message_bytes, window}, control);
  };
  const std::int64_t each = sampler.amount_for(control_weight, window, 1 << 20, once);
  profile.control = scaled(estimate(sampler.repeat(control_weight, [&] { return once(each); })),
                           1.0 / static_cast<double>(each * control));
}

}  // namespace weir::profile
