// SPDX-License-Identifier: Apache-2.0
#include "simulate/control.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <utility>

#include "base/clock.hpp"
#include "control/parameters.hpp"

namespace weir::simulate {

namespace {

// What the scheduler has said, kept when it forgets.
class Manned {
 public:
  explicit Manned(int units) : seats_(static_cast<std::size_t>(units) + 1), known_(seats_.size(), false) {}
  void keep(int unit, const std::vector<Seat>& seats) {
    seats_[static_cast<std::size_t>(unit)] = seats;
    known_[static_cast<std::size_t>(unit)] = true;
  }
  const std::vector<Seat>* at(int unit) const {
    return known_[static_cast<std::size_t>(unit)] ? &seats_[static_cast<std::size_t>(unit)] : nullptr;
  }

 private:
  std::vector<std::vector<Seat>> seats_;
  std::vector<bool> known_;
};

// Carries out what an agent orders of a unit (simulate/orders.hpp), by the scheduler's own events.
class Guide {
 public:
  explicit Guide(const Script& script) : script_(script) {}
  // Before an offer of `unit`. True where the scheduler has released something.
  bool prepare(Scheduler& scheduler, int unit) {
    const Order* order = script_.cycle(unit).order;
    if (!order) return false;
    scheduler.set_wait_rounds(order->wait_rounds);
    const bool flushes = order->flush && unit > known_ && unit > 1;
    known_ = std::max(known_, unit);
    if (flushes) scheduler.release(unit - 2);  // the scheduler counts units from 0
    return flushes;
  }

 private:
  const Script& script_;
  int known_ = 0;
};

class HostedControl final : public Control {
 public:
  explicit HostedControl(Job& job)
      : job_(job),
        scheduler_(job.in.machine, schedule_parameters(job.in.config, job.in.script.places)),
        guide_(job.in.script),
        manned_(static_cast<int>(job.in.script.cycles.size())) {}

  const std::vector<Seat>* seats(int, int unit) const override { return manned_.at(unit); }
  const std::vector<Seat>* seats(int unit) const override { return manned_.at(unit); }
  void offer(int rank, int unit, int seats) override {
    ++messages_;
    if (guide_.prepare(scheduler_, unit)) carry_out();
    scheduler_.offer(rank, unit - 1, seats);
    carry_out();
  }
  void written(int rank, int unit, int place) override {
    scheduler_.written(rank, unit - 1, place);
    carry_out();
  }
  void release(int rank, int unit) override {
    if (rank != 0) return;
    scheduler_.release(unit - 1);
    carry_out();
  }
  int released(int) const override { return static_cast<int>(scheduler_.released()) + 1; }
  std::int64_t messages() const noexcept override { return messages_; }

 private:
  void carry_out() {
    bool news = false;
    for (const Decision& decision : scheduler_.decisions()) {
      news = true;
      const auto unit = static_cast<int>(decision.unit) + 1;
      if (decision.kind == Decision::Kind::manned && !manned_.at(unit))
        manned_.keep(unit, *scheduler_.seats(decision.unit));
    }
    if (!news) return;
    for (RankState& state : job_.states) {
      state.signal.tell();
      state.thread_signal.tell();
    }
  }

  Job& job_;
  Scheduler scheduler_;
  Guide guide_;
  Manned manned_;
  std::int64_t messages_ = 0;
};

// As control/implied_control.cpp.
class ImpliedControl final : public Control {
 public:
  ImpliedControl(Job& job, int window)
      : window_(window),
        scheduler_(job.in.machine, schedule_parameters(job.in.config, job.in.script.places)),
        guide_(job.in.script),
        manned_(static_cast<int>(job.in.script.cycles.size())),
        released_after_(job.in.script.cycles.size() + 1, 0),
        released_(job.states.size(), 0),
        reached_(job.states.size(), 0) {}

  const std::vector<Seat>* seats(int rank, int unit) const override {
    return reached_[static_cast<std::size_t>(rank)] < unit ? nullptr : manned_.at(unit);
  }
  const std::vector<Seat>* seats(int unit) const override { return manned_.at(unit); }
  void offer(int rank, int unit, int seats) override {
    for (; made_ < unit; ++made_) make(made_ + 1, seats);
    reached_[static_cast<std::size_t>(rank)] = unit;
    int& released = released_[static_cast<std::size_t>(rank)];
    released = std::max(released, released_after_[static_cast<std::size_t>(unit)]);
  }
  void written(int, int, int) override {}
  void release(int rank, int unit) override { released_[static_cast<std::size_t>(rank)] = unit; }
  int released(int rank) const override { return released_[static_cast<std::size_t>(rank)]; }
  bool by_window() const noexcept override { return true; }
  std::int64_t messages() const noexcept override { return 0; }

 private:
  void make(int unit, int seats) {
    const std::int64_t here = unit - 1;
    for (; oldest_ <= here - window_; ++oldest_)
      for (const Seat& seat : *manned_.at(static_cast<int>(oldest_) + 1))
        scheduler_.written(seat.rank, oldest_, seat.place);
    static_cast<void>(guide_.prepare(scheduler_, unit));  // what that released is known by this unit
    manned_.keep(unit, scheduler_.offer_in_turn(here, seats));
    released_after_[static_cast<std::size_t>(unit)] = static_cast<int>(scheduler_.released()) + 1;
  }

  std::int64_t window_, oldest_ = 0;
  int made_ = 0;
  Scheduler scheduler_;
  Guide guide_;
  Manned manned_;
  std::vector<int> released_after_;      // by unit
  std::vector<int> released_, reached_;  // by rank
};

// When one who has waited with Patience (base/clock.hpp) since then sees what comes now: he looks, and sleeps again.
double seen(double since, double time) {
  double look = since, sleep = 1e-6 * Patience::first_sleep;
  const double longest = 1e-6 * Patience::longest_sleep;
  for (; look < time && sleep < longest; sleep *= 2) look += sleep;
  return look < time ? look + std::ceil((time - look) / longest) * longest : look;
}

// As control/serve.cpp and control/remote_control.cpp.
class RankControl final : public Control {
 public:
  explicit RankControl(Job& job)
      : job_(job),
        scheduler_(job.in.machine, schedule_parameters(job.in.config, job.in.script.places)),
        guide_(job.in.script),
        manned_(static_cast<int>(job.in.script.cycles.size())),
        waiting_(job.in.script.cycles.size() + 1),
        known_(job.states.size(), 0),
        released_(job.states.size(), 0),
        asked_(job.states.size(), 0) {}

  const std::vector<Seat>* seats(int rank, int unit) const override {
    return known_[static_cast<std::size_t>(rank)] >= unit ? manned_.at(unit) : nullptr;
  }
  const std::vector<Seat>* seats(int unit) const override { return manned_.at(unit); }
  void offer(int rank, int unit, int seats) override {
    asked_[static_cast<std::size_t>(rank)] = job_.now();
    say({Kind::offer, rank, unit, seats});
  }
  void written(int rank, int unit, int place) override { say({Kind::written, rank, unit, place}); }
  void release(int rank, int unit) override {
    int& released = released_[static_cast<std::size_t>(rank)];
    released = std::max(released, unit);
    if (rank == 0) say({Kind::release, rank, unit, 0});
  }
  int released(int rank) const override { return released_[static_cast<std::size_t>(rank)]; }
  std::int64_t messages() const noexcept override { return messages_; }

 private:
  enum class Kind { offer, written, release, answer };
  struct Words {
    Kind kind;
    int rank;  // who says it, or hears the answer
    int unit;
    int value;
  };
  struct Mail final : Action {
    void happen() override { control->take(*this); }
    RankControl* control = nullptr;
    Words words{};
  };

  double latency() const noexcept { return job_.in.profile.between.latency.value; }

  void post(const Words& words, double time) {
    if (spare_.empty()) {
      spare_.push_back(&mails_.emplace_back());
      spare_.back()->control = this;
    }
    Mail& mail = *spare_.back();
    spare_.pop_back();
    mail.words = words;
    job_.engine.at(time, mail);
  }

  void say(const Words& words) {
    ++messages_;
    const double come = seen(server_.free(), job_.now() + latency());
    post(words, server_.add(come, job_.in.profile.control.value));
  }

  void take(Mail& mail) {
    const Words words = mail.words;
    spare_.push_back(&mail);
    if (words.kind == Kind::answer) return hear(words);
    const std::int64_t unit = words.unit - 1;
    if (words.kind == Kind::offer && manned_.at(words.unit)) return answer(words.rank, words.unit);
    if (words.kind == Kind::offer) {
      waiting_[static_cast<std::size_t>(words.unit)].push_back(words.rank);
      if (guide_.prepare(scheduler_, words.unit)) carry_out();
      scheduler_.offer(words.rank, unit, words.value);
    }
    if (words.kind == Kind::written) scheduler_.written(words.rank, unit, words.value);
    if (words.kind == Kind::release) scheduler_.release(unit);
    carry_out();
  }

  void carry_out() {
    for (const Decision& decision : scheduler_.decisions()) {
      const auto unit = static_cast<int>(decision.unit) + 1;
      if (decision.kind == Decision::Kind::manned && !manned_.at(unit)) {
        manned_.keep(unit, *scheduler_.seats(decision.unit));
        for (const int rank : std::exchange(waiting_[static_cast<std::size_t>(unit)], {})) answer(rank, unit);
      }
      if (decision.kind == Decision::Kind::released)
        for (; told_ < unit; ++told_)
          if (const auto* seats = manned_.at(told_ + 1))
            for (const Seat& seat : *seats) answer(seat.rank, 0);
    }
  }

  // unit: whose seats it is told; 0: none.
  void answer(int rank, int unit) {
    const double sent = server_.add(job_.now(), job_.in.profile.control.value);
    const double asked = asked_[static_cast<std::size_t>(rank)], come = sent + latency();
    post({Kind::answer, rank, unit, static_cast<int>(scheduler_.released()) + 1}, unit > 0 ? seen(asked, come) : come);
  }

  void hear(const Words& words) {
    const auto rank = static_cast<std::size_t>(words.rank);
    known_[rank] = std::max(known_[rank], words.unit);
    released_[rank] = std::max(released_[rank], words.value);
    job_.states[rank].signal.tell();
    job_.states[rank].thread_signal.tell();
  }

  Job& job_;
  Scheduler scheduler_;
  Guide guide_;
  Manned manned_;
  Backlog server_;
  std::deque<Mail> mails_;
  std::vector<Mail*> spare_;
  std::vector<std::vector<int>> waiting_;  // by unit: who has asked
  std::vector<int> known_, released_;      // by rank: the last unit
  std::vector<double> asked_;              // by rank: when, the last time
  int told_ = 0;
  std::int64_t messages_ = 0;
};

}  // namespace

std::unique_ptr<Control> make_control(Job& job, int window) {
  if (job.in.control_rank) return std::make_unique<RankControl>(job);
  if (job.in.machine.hosts() == 1 && job.in.shared_memory) return std::make_unique<HostedControl>(job);
  return std::make_unique<ImpliedControl>(job, window);
}

}  // namespace weir::simulate
