// SPDX-License-Identifier: Apache-2.0
// What writers get of the storage: into one file, into a file each, and what making and committing a file costs.
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "measure.hpp"
#include "trial_file.hpp"
#include "trial_output.hpp"

namespace weir::profile {

namespace {

using simulate::Curve;

constexpr std::int64_t least_bytes = 256LL << 10, most_bytes = 256LL << 20;  // of a writer
constexpr double least_seconds = 1e-6;                                       // of a core that writing takes
constexpr int large_repeats = 3;                                             // of files on several servers
constexpr std::int64_t least_pieces = 16, most_pieces = 1 << 16;             // of a writer
constexpr double processor_weight = 0.05 * storage_weight, rate_weight = 0.4 * storage_weight,
                 together_weight = 0.25 * storage_weight, piece_weight = 0.15 * storage_weight,
                 file_weight = 0.15 * storage_weight;

class StorageMeasurement {
 public:
  StorageMeasurement(const Site& site, Sampler& sampler) : site_(site), sampler_(sampler), trials_(site) {}

  // Begin with this.
  void measure_sync() {
    const std::vector<double> times = sampler_.repeat(0.2 * file_weight, [&] { return trials_.sync(); });
    sync_seconds_ = estimate(times).value;
  }

  // One file of more and more writers.
  Curve one_file() { return curve(true, rate_weight); }
  // More and more files of one writer each: all of them together.
  Curve files() { return curve(false, together_weight); }
  // A writer's time for a short piece among those of others; by the bytes' rate it would be next to nothing. Empty
  // where writing is collective: MPI-IO then joins the pieces.
  Curve pieces() {
    if (trials_.choice().kind != SinkKind::direct) return {};
    const std::vector<int> counts = doubling_to(site_.most_writers());
    std::vector<std::function<Span()>> each;
    std::vector<std::int64_t> pieces;
    for (const int writers : counts) {
      const auto once = [this, writers](std::int64_t many) { return trials_.write_pieces(writers, many); };
      pieces.push_back(sampler_.amount_for(share(piece_weight, counts), least_pieces, most_pieces, once));
      each.emplace_back([once, many = pieces.back()] { return once(many); });
    }
    const auto times = sampler_.in_turn(piece_weight, each);
    std::vector<Curve::Point> points;
    for (std::size_t i = 0; i < counts.size(); ++i)
      points.push_back(
          {static_cast<double>(counts[i]), scaled(estimate(times[i]), 1.0 / static_cast<double>(pieces[i]))});
    return Curve(std::move(points));
  }

  // Bytes a second of a core's; nothing where writing is collective, which no thread does.
  Estimate processor() {
    if (trials_.choice().kind != SinkKind::direct) return {};
    double spent = 0;
    const auto once = [&](std::int64_t bytes) {
      const double start = now_seconds();
      if (site_.rank() == 0) spent = trials_.write_in_between(bytes);
      return site_.rank() == 0 ? Span::since(start) : Span();
    };
    const std::int64_t most = std::clamp(site_.room_bytes, least_bytes, most_bytes);
    const std::int64_t bytes = sampler_.amount_for(processor_weight, least_bytes, most, once);
    std::vector<double> times;
    sampler_.repeat(processor_weight, [&] {
      const Span span = once(bytes);
      times.push_back(std::max(spent, least_seconds));
      return span;
    });
    return rate(static_cast<double>(bytes), times);
  }

 private:
  static double share(double weight, const std::vector<int>& counts) {
    return weight / static_cast<double>(counts.size());
  }

  Curve curve(bool one_file, double weight) {
    const std::vector<int> counts = doubling_to(site_.most_writers());
    std::vector<std::function<Span()>> each;
    std::vector<Trial> trials;
    for (const int count : counts) {
      trials.push_back(sized({count, 0, one_file}, share(weight, counts)));
      each.emplace_back([this, trial = trials.back()] { return trials_.write(trial); });
    }
    const auto times = sampler_.in_turn(weight, each);
    std::vector<Curve::Point> points;
    for (std::size_t i = 0; i < counts.size(); ++i)
      points.push_back({static_cast<double>(counts[i]), rate_of(trials[i], times[i])});
    return Curve(std::move(points));
  }

  // Storage of several servers gives a file that lies on all of them more than one that is as short as a stripe: few
  // large files there, rather than many small ones.
  Trial sized(Trial trial, double weight) {
    const auto once = [&](std::int64_t bytes) { return trials_.write({trial.writers, bytes, trial.one_file}); };
    const std::int64_t most = std::clamp(site_.room_bytes / trial.writers, least_bytes, most_bytes);
    const int repeats = site_.shared ? large_repeats : Sampler::usual_repeats;
    trial.bytes = sampler_.amount_for(weight, least_bytes, most, once, repeats);
    return trial;
  }

  // What waits for the storage whatever it holds is the commit's, and not the bytes'.
  Estimate rate_of(const Trial& trial, std::vector<double> times) const {
    for (double& time : times) time = std::max(time - sync_seconds_, 0.5 * time);
    return rate(static_cast<double>(trial.bytes) * trial.writers, std::move(times));
  }

  const Site& site_;
  Sampler& sampler_;
  Trials trials_;
  double sync_seconds_ = 0;
};

// Of what one file gets alone.
Curve shares_of(const Curve& files) {
  const double alone = files(1);
  std::vector<Curve::Point> points;
  for (const Curve::Point& point : files.points()) {
    Estimate share = scaled(point.rate, 1 / (alone * point.at));
    for (double* number : {&share.value, &share.low, &share.high}) *number = std::clamp(*number, 0.001, 1.0);
    points.push_back({point.at, share});
  }
  return Curve(std::move(points));
}

// The storage's whole speed is known where more writers did not get more: at least a tenth less than in proportion.
Estimate total_of(const Curve& one_file, const Curve& files) {
  Estimate most;
  bool saturated = false;
  for (const Curve* curve : {&one_file, &files}) {
    for (const Curve::Point& point : curve->points())
      if (point.rate.value > most.value) most = point.rate;
    const auto& points = curve->points();
    const std::size_t last = points.size() - 1;
    saturated = saturated || (last > 0 && points[last].rate.value < 1.1 * points[last - 1].rate.value);
  }
  return saturated ? most : Estimate{};
}

}  // namespace

void measure_storage(const Site& site, Sampler& sampler, Profile& profile) {
  auto& storage = profile.storage;
  storage.shared = site.shared;
  storage.coherent = site.file_system.coherent;
  TrialOutput file(site, TrialFormat::classic, 1);
  const auto create = [&] {
    return by_rank_0(site, [&] {
      file.make();
      file.commit();
    });
  };
  storage.create = estimate(sampler.repeat(0.4 * file_weight, create));
  storage.commit = estimate(sampler.repeat(0.4 * file_weight, [&] { return by_rank_0(site, [&] { file.commit(); }); }));
  StorageMeasurement writing(site, sampler);
  writing.measure_sync();
  storage.rate = writing.one_file();
  storage.piece = writing.pieces();
  storage.processor = writing.processor();
  const Curve files = writing.files();
  storage.together = shares_of(files);
  storage.total = total_of(storage.rate, files);
}

}  // namespace weir::profile
