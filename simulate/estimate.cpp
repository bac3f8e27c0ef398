// SPDX-License-Identifier: Apache-2.0
#include "simulate/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace weir::simulate {

namespace {

constexpr double most_kept = 4096;

}  // namespace

Curve::Curve(std::vector<Point> points) : points_(std::move(points)) {
  for (const Point& point : points_) largest_ = std::max(largest_, point.rate.value);
  const double last = std::min(points_.back().at, most_kept);
  for (double at = 0; at <= last; ++at) whole_.push_back(between(at));
}

double Curve::operator()(double at) const noexcept {
  const auto whole = static_cast<std::size_t>(std::max(at, 0.0));
  if (whole < whole_.size() && static_cast<double>(whole) == at) return whole_[whole];
  return between(at);
}

double Curve::between(double at) const noexcept {
  const auto after = std::find_if(points_.begin(), points_.end(), [at](const Point& point) { return point.at >= at; });
  if (after == points_.end()) return points_.back().rate.value;
  if (after == points_.begin()) return after->rate.value;
  const Point& before = *(after - 1);
  const double share = std::log(at / before.at) / std::log(after->at / before.at);
  return before.rate.value * std::pow(after->rate.value / before.rate.value, share);
}

}  // namespace weir::simulate
