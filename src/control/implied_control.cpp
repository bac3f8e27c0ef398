// SPDX-License-Identifier: Apache-2.0
#include "control/implied_control.hpp"

#include <algorithm>
#include <utility>

namespace weir {

namespace {

class ImpliedControl final : public Control {
 public:
  explicit ImpliedControl(std::shared_ptr<ImpliedSchedule> schedule) : schedule_(std::move(schedule)) {}

  void offer(std::int64_t unit, int slots) override {
    schedule_->offer(unit, slots);
    offered_ = unit;
    released_ = std::max(released_, schedule_->released_with(unit));
  }
  std::span<const Slot> slots(std::int64_t unit) override {
    if (unit != offered_) return {};
    return schedule_->slots(unit);
  }
  void written(std::int64_t, int) override {}
  bool from_thread() const noexcept override { return false; }
  void release(std::int64_t unit) override {
    schedule_->release(unit);
    released_ = std::max(released_, unit);
  }
  std::int64_t released() override { return released_; }
  void restart(std::int64_t unit) override {
    schedule_->restart(unit);
    offered_ = released_ = unit;
  }
  bool by_window() const noexcept override { return true; }

 private:
  std::shared_ptr<ImpliedSchedule> schedule_;
  std::int64_t offered_ = 0, released_ = 0;
};

}  // namespace

ImpliedSchedule::ImpliedSchedule(const Machine& machine, const ScheduleParameters& how, int window, int kept)
    : machine_(machine), how_(how), window_(window), decided_(static_cast<std::size_t>(kept)) {
  restart(0);
}

void ImpliedSchedule::offer(std::int64_t unit, int slots) {
  for (; next_ <= unit; ++next_) {
    for (; oldest_ <= next_ - window_; ++oldest_)
      for (const Slot& slot : decided_[ring_index(oldest_)].slots)
        scheduler_->written(slot.rank, oldest_ - first_, slot.tile_buffer);
    Decided& here = decided_[ring_index(next_)];
    here.slots = scheduler_->offer_in_turn(next_ - first_, slots);
    here.released = scheduler_->released() + first_;
  }
}

void ImpliedSchedule::release(std::int64_t unit) {
  scheduler_->release(unit - first_);
}

void ImpliedSchedule::restart(std::int64_t unit) {
  first_ = next_ = oldest_ = unit + 1;
  scheduler_ = std::make_unique<Scheduler>(machine_, how_);
}

std::unique_ptr<Control> make_implied_control(std::shared_ptr<ImpliedSchedule> schedule) {
  return std::make_unique<ImpliedControl>(std::move(schedule));
}

}  // namespace weir
