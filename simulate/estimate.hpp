// SPDX-License-Identifier: Apache-2.0
// A number that was measured, published, fitted or assumed, with the range in which it is believed to lie; and
// curves of such numbers. Pure, Local.
#pragma once

#include <string>
#include <vector>

namespace weir::simulate {

enum class Source { measured, published, fitted, assumed };

struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;
  Source source = Source::assumed;
};

// A rate against a count (ranks, streams, writers). Between two points it is interpolated with both axes logarithmic;
// before the first and beyond the last one it is that one's.
class Curve {
 public:
  struct Point {
    double at;
    Estimate rate;
  };
  Curve() = default;
  // `points` ascending by `at`, at least one, rates above 0: the reader of profiles sees to it.
  explicit Curve(std::vector<Point> points);

  const std::vector<Point>& points() const noexcept { return points_; }
  bool empty() const noexcept { return points_.empty(); }
  double operator()(double at) const noexcept;
  double largest() const noexcept { return largest_; }

 private:
  double between(double at) const noexcept;

  std::vector<Point> points_;
  std::vector<double> whole_;  // the curve at 0, 1, 2, ..., as far as that is worth its memory
  double largest_ = 0;
};

}  // namespace weir::simulate
