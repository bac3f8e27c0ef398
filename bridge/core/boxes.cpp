// SPDX-License-Identifier: Apache-2.0
#include "core/boxes.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace weir::bridge {

Boxes::Boxes(IndexBox whole, std::size_t most_elements) : whole_(std::move(whole)) {
  const std::vector<std::size_t>& count = whole_.count;
  if (count.empty()) return;
  row_elements_ = std::accumulate(count.begin() + 1, count.end(), std::size_t{1}, std::multiplies<>());
  while (row_elements_ > most_elements) {
    outer_ *= count[cut_++];
    row_elements_ /= count[cut_];
  }
  rows_ = std::min(count[cut_], std::max<std::size_t>(1, most_elements / row_elements_));
  pieces_ = (count[cut_] + rows_ - 1) / rows_;
}

IndexBox Boxes::at(std::size_t n) const {
  IndexBox box = whole_;
  if (box.count.empty()) return box;
  if (n >= number()) {
    box.count[0] = 0;
    return box;
  }
  const std::size_t begin = n % pieces_ * rows_;
  box.start[cut_] += begin;
  box.count[cut_] = std::min(rows_, whole_.count[cut_] - begin);
  std::size_t outer = n / pieces_;
  for (std::size_t d = cut_; d-- > 0; outer /= whole_.count[d]) {
    box.start[d] += outer % whole_.count[d];
    box.count[d] = 1;
  }
  return box;
}

}  // namespace weir::bridge
