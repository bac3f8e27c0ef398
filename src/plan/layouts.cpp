// SPDX-License-Identifier: Apache-2.0
#include "plan/layouts.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"

namespace weir {

namespace {

constexpr std::size_t most_own_boxes = 256, most_wholes = 256;

}  // namespace

int Layouts::add(Layout layout) {
  layouts_.emplace(next_, std::move(layout));
  return next_++;
}

void Layouts::remove(int number) {
  at(number);
  layouts_.erase(number);
  std::erase(ages_, number);
  std::erase_if(by_box_, [number](const auto& entry) { return entry.second == number; });
}

const Layout& Layouts::at(int number) const {
  const auto found = layouts_.find(number);
  require(found != layouts_.end(), WEIR_EARGUMENT,
          [&] { return "there is no layout " + counting_.number(number) + ": it was never defined, or freed"; });
  return found->second;
}

int Layouts::whole_on_rank_0(IndexView shape, int rank) {
  const Shape key(shape.begin(), shape.end());
  const auto found = whole_.find(key);
  if (found != whole_.end()) return found->second;
  // Plans of a layout that is gone are never found again, and go when plans are short of room.
  if (whole_.size() >= most_wholes) {
    const auto oldest = std::min_element(whole_.begin(), whole_.end(),
                                         [](const auto& a, const auto& b) { return a.second < b.second; });
    layouts_.erase(oldest->second);
    whole_.erase(oldest);
  }
  const Shape zero(key.size(), 0);
  const IndexView none;
  // A scalar has no box to leave out: off rank 0 it is an offset-free box of an array of one element.
  const Shape one{1};
  const Layout layout =
      rank == 0 ? Layout::boxes(key, zero, key, {}) : Layout::boxes(key.empty() ? one : key, none, none, {});
  return whole_[key] = add(layout);
}

void Layouts::restart(int first) {
  for (const auto& [shape, number] : whole_) layouts_.erase(number);
  whole_.clear();
  next_ = first;
}

int Layouts::find(const OwnBox& box) const {
  const auto found = by_box_.find(box);
  return found == by_box_.end() ? -1 : found->second;
}

int Layouts::add(const OwnBox& box) {
  const int number = add(Layout::boxes(box.shape, box.start, box.count, {}));
  by_box_[box] = number;
  ages_.push_back(number);
  return number;
}

std::vector<int> Layouts::outdated_boxes() const {
  if (ages_.size() < most_own_boxes) return {};
  return {ages_.begin(), ages_.begin() + std::ssize(ages_) / 2};
}

}  // namespace weir
