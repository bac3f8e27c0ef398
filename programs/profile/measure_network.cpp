// SPDX-License-Identifier: Apache-2.0
// Latency, cost of a message, bandwidth against messages under way: within a host and between two hosts, and what all
// hosts get together. The first two hosts stand for any two.
#include <algorithm>

#include "exchange.hpp"
#include "measure.hpp"

namespace weir::profile {

namespace {

using simulate::Curve;
using simulate::Link;

constexpr int large_bytes = 1 << 20;
constexpr int small_bytes = 8;
constexpr int small_window = 64;
constexpr std::int64_t most_messages = 1 << 20;

// Who sends to whom: this rank's partner, and its side. Pairs are numbered from 0; the first k take part.
struct Pair {
  int partner = MPI_PROC_NULL;
  int number = 0;
  bool sends = false;
};

// Neighbours on each host.
Pair pair_within(const Site& site) {
  const int own = site.host.rank(), other = own ^ 1;
  if (other >= site.host.size()) return {};
  return {site.ranks_of(site.own_host())[static_cast<std::size_t>(other)], own / 2, own % 2 == 0};
}

// From the first host to the second.
Pair pair_between(const Site& site) {
  const int own = site.own_host(), number = site.host.rank();
  if (own > 1) return {};
  const std::vector<int>& partners = site.ranks_of(1 - own);
  if (number >= static_cast<int>(partners.size())) return {};
  return {partners[static_cast<std::size_t>(number)], number, own == 0};
}

class LinkMeasurement {
 public:
  LinkMeasurement(const Site& site, Sampler& sampler, Pair pair)
      : sampler_(sampler), exchange_(site.world), pair_(pair) {}

  // pairs: how many there are to measure.
  Link measure(double weight, int pairs) {
    Link link;
    link.latency = latency(0.15 * weight);
    link.overhead = overhead(0.15 * weight);
    std::vector<Curve::Point> points;
    const std::vector<int> counts = doubling_to(pairs);
    for (const int count : counts)
      points.push_back(
          {static_cast<double>(count), bandwidth(0.7 * weight / static_cast<double>(counts.size()), count)});
    link.bandwidth = Curve(std::move(points));
    return link;
  }

 private:
  bool takes_part(int pairs) const { return pair_.partner != MPI_PROC_NULL && pair_.number < pairs; }

  Estimate latency(double weight) {
    const auto once = [&](std::int64_t rounds) {
      if (!takes_part(1)) return Span{};
      return pair_.sends ? exchange_.ping(rounds, pair_.partner) : exchange_.pong(rounds, pair_.partner);
    };
    const std::int64_t rounds = sampler_.amount_for(weight, 4, most_messages, once);
    return scaled(estimate(sampler_.repeat(weight, [&] { return once(rounds); })), 0.5 / static_cast<double>(rounds));
  }

  Span stream(const Stream& stream, int pairs) {
    if (!takes_part(pairs)) return Span{};
    return pair_.sends ? exchange_.send(stream, pair_.partner) : exchange_.receive(stream, pair_.partner);
  }

  Estimate overhead(double weight) {
    const auto once = [&](std::int64_t messages) { return stream({messages, small_bytes, small_window}, 1); };
    const std::int64_t messages = sampler_.amount_for(weight, small_window, most_messages, once);
    return scaled(estimate(sampler_.repeat(weight, [&] { return once(messages); })),
                  1.0 / static_cast<double>(messages));
  }

  // One message of each pair under way.
  Estimate bandwidth(double weight, int pairs) {
    const auto once = [&](std::int64_t messages) { return stream({messages, large_bytes, 1}, pairs); };
    const std::int64_t messages = sampler_.amount_for(weight, 1, most_messages, once);
    const auto bytes = static_cast<double>(messages) * large_bytes * pairs;
    return rate(bytes, sampler_.repeat(weight, [&] { return once(messages); }));
  }

  Sampler& sampler_;
  Exchange exchange_;
  Pair pair_;
};

// Every host sends to the next one, all ranks at once.
Estimate total_of_all(const Site& site, Sampler& sampler, double weight) {
  Exchange exchange(site.world);
  const int hosts = site.hosts(), own = site.own_host(), pairs = site.least_ranks();
  const auto once = [&](std::int64_t messages) {
    if (site.host.rank() >= pairs) return Span{};
    const auto place = static_cast<std::size_t>(site.host.rank());
    return exchange.both({messages, large_bytes, 1}, site.ranks_of((own + 1) % hosts)[place],
                         site.ranks_of((own + hosts - 1) % hosts)[place]);
  };
  const std::int64_t messages = sampler.amount_for(weight, 1, most_messages, once);
  const auto bytes = static_cast<double>(messages) * large_bytes * pairs * hosts;
  return rate(bytes, sampler.repeat(weight, [&] { return once(messages); }));
}

void measure_between(const Site& site, Sampler& sampler, double weight, Profile& profile) {
  const auto pairs = static_cast<int>(std::min(site.ranks_of(0).size(), site.ranks_of(1).size()));
  profile.between = LinkMeasurement(site, sampler, pair_between(site)).measure(0.8 * weight, pairs);
  const Estimate total = total_of_all(site, sampler, 0.2 * weight);
  // A limit only where the cards would let more through.
  constexpr double nearly = 0.8;
  if (total.value < nearly * site.hosts() * profile.between.bandwidth(pairs)) profile.network_total = total;
}

// The numbers of another thing.
Link assumed(const Link& link) {
  const auto guess = [](Estimate number) {
    number.source = simulate::Source::assumed;
    return number;
  };
  std::vector<Curve::Point> points = link.bandwidth.points();
  for (Curve::Point& point : points) point.rate = guess(point.rate);
  return {guess(link.latency), guess(link.overhead), Curve(std::move(points))};
}

}  // namespace

void measure_network(const Site& site, Sampler& sampler, Profile& profile) {
  const bool several = site.hosts() > 1;
  const int pairs = site.least_ranks() / 2;
  const double between = several ? (pairs > 0 ? 0.6 : 1.0) * network_weight : 0;
  if (pairs > 0)
    profile.within = LinkMeasurement(site, sampler, pair_within(site)).measure(network_weight - between, pairs);
  if (several) measure_between(site, sampler, between, profile);
  // One rank on a host has no rank there to talk to.
  if (pairs == 0) profile.within = assumed(profile.between);
}

}  // namespace weir::profile
