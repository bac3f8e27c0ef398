// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <vector>

#include "control/control.hpp"

namespace weir {

namespace {

class ImpliedControl final : public Control {
 public:
  ImpliedControl(const Machine& machine, const ScheduleParameters& how, int window)
      : machine_(machine), how_(how), window_(window) {
    restart(0);
  }

  // Every rank comes to the same scheduler by itself: units older than the window are written, and the ranks arrive in
  // turn until the unit is manned.
  void offer(std::int64_t unit, int seats) override {
    const std::int64_t here = unit - first_;
    for (; oldest_ <= here - window_; ++oldest_) retire(oldest_);
    held(here) = scheduler_->offer_in_turn(here, seats);
  }

  bool seats(std::int64_t unit, std::vector<Seat>& seats) override {
    const std::vector<Seat>* known = scheduler_->seats(unit - first_);
    if (known) seats = *known;
    return known != nullptr;
  }
  void written(std::int64_t, int) override {}
  bool from_thread() const noexcept override { return false; }
  void release(std::int64_t unit) override { scheduler_->release(unit - first_); }
  std::int64_t released() override { return scheduler_->released() + first_; }
  void end(std::int64_t) override {}

  void restart(std::int64_t unit) override {
    first_ = unit + 1;
    oldest_ = 0;
    held_.assign(static_cast<std::size_t>(window_) + 1, {});
    scheduler_ = std::make_unique<Scheduler>(machine_, how_);
  }

  void abandon() noexcept override {}
  bool by_window() const noexcept override { return true; }
  std::int64_t messages() const noexcept override { return 0; }

 private:
  void retire(std::int64_t unit) {
    for (const Seat& seat : held(unit)) scheduler_->written(seat.rank, unit, seat.place);
    held(unit).clear();
  }

  // Of a unit of the window.
  std::vector<Seat>& held(std::int64_t unit) { return held_[static_cast<std::size_t>(unit) % held_.size()]; }

  const Machine& machine_;
  ScheduleParameters how_;
  std::int64_t window_;
  std::int64_t first_ = 1, oldest_ = 0;
  std::vector<std::vector<Seat>> held_;
  std::unique_ptr<Scheduler> scheduler_;
};

}  // namespace

std::unique_ptr<Control> make_implied_control(const Machine& machine, const ScheduleParameters& how, int window) {
  return std::make_unique<ImpliedControl>(machine, how, window);
}

}  // namespace weir
