// SPDX-License-Identifier: Apache-2.0
#include "put/layouts.hpp"

#include <string>

#include "base/error.hpp"

namespace weir {

int Layouts::add(Layout layout) {
  layouts_.emplace_back(std::move(layout));
  return static_cast<int>(layouts_.size()) - 1;
}

void Layouts::remove(int number) {
  at(number);
  layouts_[static_cast<std::size_t>(number)].reset();
  std::erase(ages_, number);
  std::erase_if(by_box_, [number](const auto& entry) { return entry.second == number; });
}

const Layout& Layouts::at(int number) const {
  const bool known = number >= 0 && static_cast<std::size_t>(number) < layouts_.size();
  require(known && layouts_[static_cast<std::size_t>(number)].has_value(), WEIR_EARGUMENT,
          [&] { return "there is no layout " + std::to_string(number) + ": it was never defined, or freed"; });
  return *layouts_[static_cast<std::size_t>(number)];
}

int Layouts::whole_on_rank_0(IndexView shape, int rank) {
  const Shape key(shape.begin(), shape.end());
  const auto found = whole_.find(key);
  if (found != whole_.end()) return found->second;
  const Shape zero(key.size(), 0);
  const IndexView none;
  // A scalar has no box to leave out: off rank 0 it is an offset-free box of an array of one element.
  const Shape one{1};
  const Layout layout =
      rank == 0 ? Layout::boxes(key, zero, key, {}) : Layout::boxes(key.empty() ? one : key, none, none, {});
  return whole_[key] = add(layout);
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

}  // namespace weir
