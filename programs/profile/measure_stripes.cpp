// SPDX-License-Identifier: Apache-2.0
// What one server of a striped storage gives, and what a request and a change of writers cost it. Files lie as the
// folder has them: other stripes are the simulator's to try.
#include <algorithm>

#include "measure.hpp"
#include "trial_file.hpp"

namespace weir::profile {

namespace {

using simulate::Stripes;

constexpr std::int64_t request_bytes = 4096;
constexpr std::int64_t requests = 32;
constexpr std::int64_t most_part_bytes = 1 << 20;

class StripeMeasurement {
 public:
  StripeMeasurement(const Site& site, Sampler& sampler)
      : site_(site), sampler_(sampler), alone_(site.world.split(site.rank())), data_(most_part_bytes, std::byte{1}) {}

  // All writers into the first stripe of the file, again and again: one server has it.
  Estimate one_server(double weight, std::int64_t stripe_bytes) {
    const std::vector<int> ranks = site_.writers(site_.most_writers());
    const auto place = std::find(ranks.begin(), ranks.end(), site_.rank()) - ranks.begin();
    const auto writers = static_cast<std::int64_t>(ranks.size());
    const std::int64_t part = std::clamp(stripe_bytes / writers, request_bytes, most_part_bytes);
    const auto once = [&](std::int64_t times) {
      if (place == writers) return Span{};
      return timed([&](Sink& sink) {
        const Extent extent{place * part % stripe_bytes, part, data_.data()};
        for (std::int64_t i = 0; i < times; ++i) sink.write(std::span(&extent, 1)).raise();
        sink.make_durable().raise();
      });
    };
    const std::int64_t times = sampler_.amount_for(weight, 1, 1 << 12, once);
    return rate(static_cast<double>(part * times * writers), sampler_.repeat(weight, [&] { return once(times); }));
  }

  // Small writes, each into another stripe.
  Estimate request(double weight, std::int64_t stripe_bytes) {
    const auto once = [&] {
      if (site_.rank() != 0) return Span{};
      return timed([&](Sink& sink) {
        for (std::int64_t i = 0; i < requests; ++i) {
          const Extent extent{i * stripe_bytes, request_bytes, data_.data()};
          sink.write(std::span(&extent, 1)).raise();
        }
        sink.make_durable().raise();
      });
    };
    return scaled(estimate(sampler_.repeat(weight, once)), 1.0 / static_cast<double>(requests));
  }

  // Two ranks write in turn, both into one stripe or each into its own: what one of them takes.
  Estimate in_turn(double weight, std::int64_t distance) {
    const std::vector<int> ranks = site_.writers(2);
    const auto once = [&] {
      const bool first = site_.rank() == ranks[0];
      if (!first && site_.rank() != ranks[1]) return Span{};
      return timed([&](Sink& sink) { write_in_turn(sink, first, ranks[first ? 1 : 0], distance); });
    };
    return scaled(estimate(sampler_.repeat(weight, once)), 0.5 / static_cast<double>(requests));
  }

 private:
  template <class Work>
  Span timed(Work&& work) {
    const auto sink = make_sink(SinkKind::direct, alone_, {site_.path("stripes"), Durability::storage});
    const double start = now_seconds();
    work(*sink);
    return Span::since(start);
  }

  void write_in_turn(Sink& sink, bool first, int other, std::int64_t distance) {
    const Extent extent{first ? 0 : distance, request_bytes, data_.data()};
    MPI_Comm comm = site_.world.raw();
    for (std::int64_t i = 0; i < requests; ++i) {
      if (!first) check_mpi(MPI_Recv(nullptr, 0, MPI_BYTE, other, 1, comm, MPI_STATUS_IGNORE), "MPI_Recv");
      sink.write(std::span(&extent, 1)).raise();
      check_mpi(MPI_Send(nullptr, 0, MPI_BYTE, other, 1, comm), "MPI_Send");
      if (first) check_mpi(MPI_Recv(nullptr, 0, MPI_BYTE, other, 1, comm, MPI_STATUS_IGNORE), "MPI_Recv");
    }
  }

  const Site& site_;
  Sampler& sampler_;
  Comm alone_;
  std::vector<std::byte> data_;
};

// The size as the file system reports it or the user, the servers as the user does: no file system tells everybody.
Stripes layout(const Site& site, const Options& options) {
  Stripes found;
  found.size = options.stripe_bytes > 0 ? options.stripe_bytes : site.file_system.stripe_bytes;
  found.told = site.file_system.stripe_bytes > 0;
  found.servers = options.servers;
  found.count = options.stripe_count > 0 ? std::min(options.stripe_count, found.servers) : found.servers;
  return found;
}

}  // namespace

void measure_stripes(const Site& site, Sampler& sampler, Profile& profile, const Options& options) {
  Stripes stripes = layout(site, options);
  if (stripes.size == 0 || stripes.servers == 0 || !site.shared) return;
  Status status;
  std::unique_ptr<ScratchPath> file;
  try {
    if (site.rank() == 0) file = std::make_unique<ScratchPath>(site.path("stripes"));
  } catch (const Error& error) {
    status = {error.code(), error.what()};
  }
  agree_or_throw(site.world, status, "making a file");
  StripeMeasurement measurement(site, sampler);
  stripes.server_bandwidth = measurement.one_server(0.4 * stripe_weight, stripes.size);
  const Estimate request = measurement.request(0.2 * stripe_weight, stripes.size);
  const double bytes_seconds = request_bytes / stripes.server_bandwidth.value;
  stripes.request = difference(request, {bytes_seconds, bytes_seconds, bytes_seconds, request.source});
  const Estimate apart = measurement.in_turn(0.2 * stripe_weight, stripes.size);
  stripes.lock = difference(measurement.in_turn(0.2 * stripe_weight, request_bytes), apart);
  profile.storage.stripes = stripes;
  check_mpi(MPI_Barrier(site.world.raw()), "MPI_Barrier");
}

}  // namespace weir::profile
