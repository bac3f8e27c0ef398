// SPDX-License-Identifier: Apache-2.0
// Repeats of a measurement within the time there is, and what they say: the median, and the range from the 10th to the
// 90th percentile. All ranks see the same times, so all decide the same without a word.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "simulate/estimate.hpp"
#include "site.hpp"

namespace weir::profile {

using simulate::Estimate;

// Not empty.
Estimate estimate(std::vector<double> values);
// Of amount / time for each of the times.
Estimate rate(double amount, std::vector<double> times);
// Each of the numbers times `factor`.
Estimate scaled(const Estimate& number, double factor);
// Not below 0.
Estimate difference(const Estimate& more, const Estimate& less);

// When a rank did its part, on its host's clock. Ranks that share a core do theirs one after another, so what counts is
// not how long each took, but the time from the first one's begin to the last one's end.
struct Span {
  double begin = std::numeric_limits<double>::infinity();  // no rank's
  double end = -std::numeric_limits<double>::infinity();
  static Span since(double begin) noexcept { return {begin, now_seconds()}; }
};

// What rank 0 does alone. Local.
template <class Work>
Span by_rank_0(const Site& site, Work work) {
  if (site.rank() != 0) return {};
  const double start = now_seconds();
  work();
  return Span::since(start);
}

class Sampler {
 public:
  static constexpr int usual_repeats = 10;

  // `site` must outlive it. Measuring is to take `seconds`, nearly.
  // With `shows`, a line on standard error says how far it is.
  Sampler(const Site& site, double seconds, bool shows = false) : site_(site), seconds_(seconds), shows_(shows) {}
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;
  ~Sampler();
  // What is measured from now on.
  void begin(const std::string& part);

  // Everybody takes part in every repeat and returns when it did its part ({}: it had none). The repeat's seconds are
  // those of the slowest host. `weight`: the share of all the time that the repeats may take; at least `least_repeats`
  // are done. The first one is not counted. Collective; what `once` throws on any rank is thrown on all.
  std::vector<double> repeat(double weight, const std::function<Span()>& once);
  // The same for several measurements that share the weight and take turns: what else the machine does for a while
  // meets all of them, and not one point of a curve.
  std::vector<std::vector<double>> in_turn(double weight, const std::vector<std::function<Span()>>& each);
  // How often (or how many bytes) a measurement must be to take the time of one of so many repeats: begins with
  // `least`, doubles until it is seen to take long enough, and is never more than `most`. Collective.
  std::int64_t amount_for(double weight, std::int64_t least, std::int64_t most,
                          const std::function<Span(std::int64_t)>& once, int repeats = usual_repeats);

 private:
  void show(double now);
  double timed(const std::function<Span()>& once);

  static constexpr int least_repeats = 3, most_repeats = 30;

  const Site& site_;
  double seconds_;
  double spent_ = 0;
  bool shows_;
  double began_ = now_seconds();
  double shown_ = 0;
  std::string part_;
};

}  // namespace weir::profile
