// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <mutex>

#include "control/control.hpp"
#include "mpi/event_list.hpp"

namespace weir {

namespace {

enum Kind : std::uint32_t { offer_event, written_event, release_event };

// In flight are `window` units at the most, each with an offer of every rank, a release, and a word for every tile, of
// which there are no more than ranks. A rank is no further behind than that; twice as much is kept.
std::int64_t list_capacity(int ranks, int window) {
  return 2 * (std::int64_t{window} + 2) * (2 * std::int64_t{ranks} + 1);
}

class HostedControl final : public Control {
 public:
  HostedControl(const Comm& host, const Machine& machine, const ScheduleParameters& how, int window,
                const Deadline& deadline)
      : rank_(host.rank()),
        machine_(machine),
        how_(how),
        list_(host, list_capacity(machine.ranks(), window), deadline) {
    restart(0);
  }

  void offer(std::int64_t unit, int seats) override {
    list_.append({offer_event, rank_, unit, seats});
    ++messages_;
  }

  bool seats(std::int64_t unit, std::vector<Seat>& seats) override {
    const std::lock_guard lock(mutex_);
    follow();
    const std::vector<Seat>* known = scheduler_->seats(unit - first_);
    if (known) seats = *known;
    return known != nullptr;
  }

  void written(std::int64_t unit, int place) override { list_.append({written_event, rank_, unit, place}); }
  bool from_thread() const noexcept override { return true; }

  void release(std::int64_t unit) override {
    if (rank_ == 0) list_.append({release_event, rank_, unit, 0});
  }

  std::int64_t released() override {
    const std::lock_guard lock(mutex_);
    follow();
    return scheduler_->released() + first_;
  }

  void end(std::int64_t) override {
    if (rank_ == 0) list_.clear();
  }

  void restart(std::int64_t unit) override {
    list_.rewind();
    first_ = unit + 1;
    scheduler_ = std::make_unique<Scheduler>(machine_, how_);
  }

  void abandon() noexcept override {}
  std::int64_t messages() const noexcept override { return messages_; }

 private:
  // Does to this rank's scheduler what the list says. Events of before a new beginning are void.
  void follow() {
    for (EventList::Event event; list_.read(event);) {
      const std::int64_t unit = event.unit - first_;
      if (unit < 0) continue;
      if (event.kind == offer_event) scheduler_->offer(event.rank, unit, static_cast<int>(event.value));
      if (event.kind == written_event) scheduler_->written(event.rank, unit, static_cast<int>(event.value));
      if (event.kind == release_event) scheduler_->release(unit);
    }
  }

  int rank_;
  const Machine& machine_;
  ScheduleParameters how_;
  EventList list_;
  std::mutex mutex_;  // of the scheduler: the writer thread asks too
  std::int64_t first_ = 1;
  std::unique_ptr<Scheduler> scheduler_;
  std::int64_t messages_ = 0;
};

}  // namespace

std::unique_ptr<Control> make_hosted_control(const Comm& host, const Machine& machine, const ScheduleParameters& how,
                                             int window, const Deadline& deadline) {
  return std::make_unique<HostedControl>(host, machine, how, window, deadline);
}

}  // namespace weir
