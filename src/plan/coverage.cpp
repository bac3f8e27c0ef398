// SPDX-License-Identifier: Apache-2.0
#include "plan/coverage.hpp"

#include <algorithm>

namespace weir {

namespace {

// Sweeps the region dimension by dimension: between two neighbouring bounds of the claims along dimension d, the set of
// claims is the same, so each such stretch is swept once along d + 1. Along the last dimension the claims are
// intervals.
class Sweep {
 public:
  Sweep(Box region, const Claims& claims, Sharing sharing, Coverage& result)
      : claims_(claims),
        sharing_(sharing),
        result_(result),
        region_(region),
        lo_(region.lo.begin(), region.lo.end()),
        hi_(region.hi.begin(), region.hi.end()) {}

  void run(std::size_t d, const std::vector<int>& active) {
    if (active.empty()) return add_hole(d, region_.lo[d], region_.hi[d]);
    if (d + 1 == lo_.size()) return intervals(d, active);
    const auto bounds = cuts(d, active);
    for (std::size_t i = 0; i + 1 < bounds.size() && !result_.overlap; ++i) {
      std::vector<int> inside;
      for (int claim : active)
        if (lo(claim, d) <= bounds[i] && hi(claim, d) >= bounds[i + 1]) inside.push_back(claim);
      lo_[d] = bounds[i];
      hi_[d] = bounds[i + 1];
      run(d + 1, inside);
    }
  }

 private:
  std::int64_t lo(int claim, std::size_t d) const {
    return std::max(claims_.boxes[static_cast<std::size_t>(claim)].lo[d], region_.lo[d]);
  }
  std::int64_t hi(int claim, std::size_t d) const {
    return std::min(claims_.boxes[static_cast<std::size_t>(claim)].hi[d], region_.hi[d]);
  }

  std::vector<std::int64_t> cuts(std::size_t d, const std::vector<int>& active) const {
    std::vector<std::int64_t> bounds{region_.lo[d], region_.hi[d]};
    for (int claim : active) {
      bounds.push_back(lo(claim, d));
      bounds.push_back(hi(claim, d));
    }
    std::sort(bounds.begin(), bounds.end());
    bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
    return bounds;
  }

  void intervals(std::size_t d, std::vector<int> active) {
    std::sort(active.begin(), active.end(), [&](int a, int b) { return lo(a, d) < lo(b, d); });
    std::int64_t covered = region_.lo[d];
    int previous = -1;
    for (int claim : active) {
      if (lo(claim, d) < covered && sharing_ == Sharing::refused) {
        result_.overlap = Overlap{previous, claim};
        return;
      }
      if (lo(claim, d) > covered) add_hole(d, covered, lo(claim, d));
      covered = std::max(covered, hi(claim, d));
      previous = claim;
    }
    if (covered < region_.hi[d]) add_hole(d, covered, region_.hi[d]);
  }

  // The stretches of the dimensions before d are in lo_ and hi_; those after d are whole.
  void add_hole(std::size_t d, std::int64_t from, std::int64_t to) {
    lo_[d] = from;
    hi_[d] = to;
    for (std::size_t e = d + 1; e < lo_.size(); ++e) {
      lo_[e] = region_.lo[e];
      hi_[e] = region_.hi[e];
    }
    result_.holes.add(lo_, hi_);
  }

  const Claims& claims_;
  Sharing sharing_;
  Coverage& result_;
  Box region_;
  std::vector<std::int64_t> lo_, hi_;
};

bool touches(Box a, Box b) {
  for (std::size_t d = 0; d < a.lo.size(); ++d)
    if (a.lo[d] >= b.hi[d] || b.lo[d] >= a.hi[d]) return false;
  return true;
}

}  // namespace

Coverage examine(Box region, const Claims& claims, Sharing sharing) {
  Coverage result(region.ndims());
  std::vector<int> active;
  for (std::size_t i = 0; i < claims.boxes.size(); ++i)
    if (touches(claims.boxes[i], region)) active.push_back(static_cast<int>(i));
  Sweep(region, claims, sharing, result).run(0, active);
  return result;
}

}  // namespace weir
