// SPDX-License-Identifier: Apache-2.0
#include "schedule/local_control.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace weir {

namespace {

class HostedControl final : public Control {
 public:
  HostedControl(int rank, std::shared_ptr<HostedSchedule> schedule) : rank_(rank), schedule_(std::move(schedule)) {}

  void offer(std::int64_t unit, int slots, std::int64_t series) override {
    schedule_->append({ControlEvent::offer, rank_, unit, slots, series});
    ++messages_;
  }
  // A copy: the writer thread may follow the scheduler meanwhile.
  std::span<const Slot> slots(std::int64_t unit) override {
    auto known = std::ranges::find(known_, unit, &Known::unit);
    if (known != known_.end()) return known->slots;
    known = std::ranges::find(known_, nothing, &Known::unit);
    if (known == known_.end()) known = known_.emplace(known_.end());
    if (!schedule_->slots(unit, known->slots)) return {};
    known->unit = unit;
    return known->slots;
  }
  void forget_up_to(std::int64_t unit) override {
    for (Known& known : known_)
      if (known.unit <= unit) known.unit = nothing;
  }
  void written(std::int64_t unit, int tile_buffer) override {
    schedule_->append({ControlEvent::written, rank_, unit, tile_buffer});
  }
  bool thread_safe() const noexcept override { return true; }
  void release(std::int64_t unit) override {
    if (rank_ == 0) schedule_->append({ControlEvent::release, rank_, unit, 0});
  }
  std::int64_t released() override { return schedule_->released(); }
  void end(std::int64_t) override {
    if (rank_ == 0) schedule_->clear();
  }
  void restart(std::int64_t unit) override {
    for (Known& known : known_) known.unit = nothing;
    schedule_->restart(unit);
  }
  std::int64_t messages() const noexcept override { return messages_; }

 private:
  static constexpr std::int64_t nothing = -1;
  struct Known {
    std::int64_t unit = nothing;
    std::vector<Slot> slots;
  };

  int rank_;
  std::shared_ptr<HostedSchedule> schedule_;
  std::int64_t messages_ = 0;
  std::vector<Known> known_;  // of units that are not forgotten, and spare entries; in no order
};

}  // namespace

HostedSchedule::HostedSchedule(std::unique_ptr<ControlEvents> events, const Machine& machine,
                               const ScheduleParameters& how)
    : events_(std::move(events)), machine_(machine), how_(how) {
  restart(0);
}

bool HostedSchedule::slots(std::int64_t unit, std::vector<Slot>& slots) {
  const std::lock_guard lock(mutex_);
  follow_locked();
  const std::vector<Slot>* known = scheduler_->slots(unit - first_);
  if (known) slots = *known;
  return known != nullptr;
}

std::int64_t HostedSchedule::released() {
  const std::lock_guard lock(mutex_);
  follow_locked();
  return scheduler_->released() + first_;
}

void HostedSchedule::restart(std::int64_t unit) {
  events_->rewind();
  first_ = unit + 1;
  scheduler_ = std::make_unique<Scheduler>(machine_, how_);
}

bool HostedSchedule::follow() {
  const std::lock_guard lock(mutex_);
  return follow_locked();
}

// Events of before a new beginning are void.
bool HostedSchedule::follow_locked() {
  bool decided = false;
  for (ControlEvent event; events_->read(event);) {
    const std::int64_t unit = event.unit - first_;
    if (unit < 0) continue;
    if (event.kind == ControlEvent::offer)
      scheduler_->offer(event.rank, unit, static_cast<int>(event.value), event.series);
    if (event.kind == ControlEvent::written) scheduler_->written(event.rank, unit, static_cast<int>(event.value));
    if (event.kind == ControlEvent::release) scheduler_->release(unit);
    decided = decided || !scheduler_->decisions().empty();
  }
  return decided;
}

std::unique_ptr<Control> make_hosted_control(int rank, std::shared_ptr<HostedSchedule> schedule) {
  return std::make_unique<HostedControl>(rank, std::move(schedule));
}

namespace {

class ImpliedControl final : public Control {
 public:
  explicit ImpliedControl(std::shared_ptr<ImpliedSchedule> schedule) : schedule_(std::move(schedule)) {}

  void offer(std::int64_t unit, int slots, std::int64_t series) override {
    schedule_->offer(unit, slots, series);
    offered_ = unit;
    released_ = std::max(released_, schedule_->released_with(unit));
  }
  std::span<const Slot> slots(std::int64_t unit) override {
    if (unit != offered_) return {};
    return schedule_->slots(unit);
  }
  void written(std::int64_t, int) override {}
  bool thread_safe() const noexcept override { return false; }
  void release(std::int64_t unit) override {
    schedule_->release(unit);
    released_ = std::max(released_, unit);
  }
  std::int64_t released() override { return released_; }
  void restart(std::int64_t unit) override {
    schedule_->restart(unit);
    offered_ = released_ = unit;
  }
  bool frees_by_window() const noexcept override { return true; }

 private:
  std::shared_ptr<ImpliedSchedule> schedule_;
  std::int64_t offered_ = 0, released_ = 0;
};

}  // namespace

ImpliedSchedule::ImpliedSchedule(const Machine& machine, const ScheduleParameters& how, int window, int kept)
    : machine_(machine), how_(how), window_(window), decided_(static_cast<std::size_t>(kept)) {
  how_.waits_for_holders = false;  // only the window frees tile buffers here
  restart(0);
}

void ImpliedSchedule::offer(std::int64_t unit, int slots, std::int64_t series) {
  for (; next_ <= unit; ++next_) {
    for (; oldest_ <= next_ - window_; ++oldest_)
      for (const Slot& slot : decided_[ring_index(oldest_)].slots)
        scheduler_->written(slot.rank, oldest_ - first_, slot.tile_buffer);
    Decided& here = decided_[ring_index(next_)];
    here.slots = scheduler_->offer_in_turn(next_ - first_, slots, series);
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
