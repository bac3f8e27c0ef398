// SPDX-License-Identifier: Apache-2.0
#include "sampler.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>

#include "base/text.hpp"

namespace weir::profile {

namespace {

constexpr double between_lines = 0.5;

// Between the two nearest of the sorted values.
double percentile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

}  // namespace

Estimate estimate(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {percentile(values, 0.5), percentile(values, 0.1), percentile(values, 0.9), simulate::Source::measured};
}

Estimate rate(double amount, std::vector<double> times) {
  for (double& time : times) time = amount / std::max(time, 1e-9);
  return estimate(std::move(times));
}

Estimate scaled(const Estimate& number, double factor) {
  return {number.value * factor, number.low * factor, number.high * factor, number.source};
}

Estimate difference(const Estimate& more, const Estimate& less) {
  const double value = std::max(0.0, more.value - less.value);
  return {value, std::clamp(more.low - less.high, 0.0, value), std::max(value, more.high - less.low), more.source};
}

Sampler::~Sampler() {
  if (shows_) std::cerr << "\r\033[K" << std::flush;
}

void Sampler::begin(const std::string& part) {
  part_ = part;
  shown_ = 0;
  show(now_seconds());
}

void Sampler::show(double now) {
  if (!shows_ || now - shown_ < between_lines) return;
  shown_ = now;
  const double left = seconds_ - (now - began_);
  std::cerr << "\r\033[Kmeasuring: " << part_ << ", "
            << (left > 0 ? formatted("about {} s left", std::lround(left)) : "nearly done") << std::flush;
}

// What it takes with all that goes with it counts as spent, and what was measured is returned.
double Sampler::timed(const std::function<Span()>& once) {
  check_mpi(MPI_Barrier(site_.world.raw()), "MPI_Barrier");
  const double begin = now_seconds();
  Status status;
  Span own;
  try {
    own = once();
  } catch (const Error& error) {
    status = {error.code(), error.what()};
  }
  double ends[] = {-own.begin, own.end};
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_DOUBLE, MPI_MAX, site_.host.raw()), "MPI_Allreduce");
  double most[] = {std::max(0.0, ends[0] + ends[1]), now_seconds() - begin, status.ok() ? 0.0 : 1.0};
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, most, 3, MPI_DOUBLE, MPI_MAX, site_.world.raw()), "MPI_Allreduce");
  if (most[2] > 0) agree_or_throw(site_.world, status, "measuring");
  spent_ += most[1];
  show(now_seconds());
  return most[0];
}

std::vector<double> Sampler::repeat(double weight, const std::function<Span()>& once) {
  return in_turn(weight, {once}).front();
}

std::vector<std::vector<double>> Sampler::in_turn(double weight, const std::vector<std::function<Span()>>& each) {
  const double end = spent_ + weight * seconds_;
  for (const auto& once : each) timed(once);
  std::vector<std::vector<double>> times(each.size());
  for (int done = 0; done < least_repeats || (done < most_repeats && spent_ < end); ++done)
    for (std::size_t i = 0; i < each.size(); ++i) times[i].push_back(timed(each[i]));
  return times;
}

std::int64_t Sampler::amount_for(double weight, std::int64_t least, std::int64_t most,
                                 const std::function<Span(std::int64_t)>& once, int repeats) {
  const double wanted = weight * seconds_ / repeats;
  std::int64_t amount = least;
  timed([&] { return once(amount); });
  while (amount < most) {
    const double taken = timed([&] { return once(amount); });
    if (taken >= wanted / 3)
      return std::clamp(static_cast<std::int64_t>(static_cast<double>(amount) * wanted / taken), least, most);
    amount = std::min(most, taken > wanted / 30 ? 2 * amount : 8 * amount);
  }
  return amount;
}

}  // namespace weir::profile
