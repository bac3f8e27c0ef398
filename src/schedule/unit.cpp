// SPDX-License-Identifier: Apache-2.0
#include "schedule/unit.hpp"

#include <utility>

namespace weir {

void UnitRing::append() {
  const auto size = static_cast<std::int64_t>(ring_.size());
  if (next_ - first_ == size) {
    std::vector<std::unique_ptr<Unit>> larger(2 * ring_.size());
    for (std::int64_t n = first_; n < next_; ++n)
      larger[static_cast<std::size_t>(n & (2 * size - 1))] = std::move(ring_[place(n)]);
    ring_ = std::move(larger);
  }
  if (spare_units_.empty()) spare_units_.push_back(std::make_unique<Unit>());
  spare_units_.back()->number = next_;
  ring_[place(next_)] = std::move(spare_units_.back());
  spare_units_.pop_back();
  ++next_;
}

void UnitRing::forget(Unit& unit) {
  const std::int64_t number = unit.number;
  unit.wanted = -1;
  unit.assigned = false;
  unit.slots.clear();
  spare_units_.push_back(std::move(ring_[place(number)]));
  while (first_ < next_ && find(first_) == nullptr) ++first_;
}

void UnitRing::begin_assignment(Unit& unit) {
  if (spare_assignments_.empty()) {
    spare_assignments_.push_back(std::make_unique<Assignment>());
    spare_assignments_.back()->on_host.assign(static_cast<std::size_t>(hosts_), 0);
  }
  unit.assignment = std::move(spare_assignments_.back());
  spare_assignments_.pop_back();
}

void UnitRing::end_assignment(Unit& unit) {
  unit.assignment->clear();
  spare_assignments_.push_back(std::move(unit.assignment));
}

}  // namespace weir
