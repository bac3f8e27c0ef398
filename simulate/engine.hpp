// SPDX-License-Identifier: Apache-2.0
// Simulated time. Things happen one after another, by time and, at one time, in the order in which they were asked for:
// the same run twice is the same to the bit. Whoever takes part is a Task, a coroutine that reads as what a rank does
// (wait, then go on), or, where millions are needed, an Action. Nothing here knows what is simulated. Pure, Local.
#pragma once

#include <array>
#include <bit>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>
#include <vector>

#include "base/task.hpp"

namespace weir::simulate {

using Task = weir::Task<>;

// Something that is to happen. It must live until then.
class Action {
 public:
  virtual void happen() = 0;
  // It is to happen soon, and has mostly left the processor's caches by now: fetches what it will touch, a step at a
  // time, each at what the one before it has fetched, some events later. The action itself is fetched before the first.
  virtual void fetch(int /*step*/) const noexcept {}
  static constexpr int fetch_steps = 4;

 protected:
  ~Action() = default;
};

struct Event {
  double time;
  std::uint64_t number;
  Action* action;
  // Times are not negative, and ordered as their bits are: compared by no jump, since either may well be the earlier.
  bool before(const Event& other) const noexcept {
    const auto own = std::bit_cast<std::uint64_t>(time), others = std::bit_cast<std::uint64_t>(other.time);
    return (own < others) | ((own == others) & (number < other.number));
  }
};

// What is to happen, the first of it at hand.
class EventHeap {
 public:
  bool empty() const noexcept { return events_.empty(); }
  void add(const Event& event);
  Event take_first() noexcept;

 private:
  void rise(std::size_t at) noexcept;
  void sink_first(const Event& event) noexcept;
  std::size_t first_of_four(std::size_t begin) const noexcept;
  std::size_t first_from(std::size_t begin) const noexcept;

  std::vector<Event> events_;  // of four children each: half as deep as one of two
};

// The same, and what comes next is known some events ahead, so that it can be fetched.
class EventQueue {
 public:
  bool empty() const noexcept { return next_ == end_ && later_.empty(); }
  const Event& first() const noexcept { return near_[next_]; }  // once looked ahead
  void add(const Event& event);
  // Knows what comes next.
  void look_ahead();
  Event take_first() noexcept;

 private:
  static constexpr std::size_t fewest = 8, most = 24, room = 64;
  void fetch() const noexcept;

  std::array<Event, room> near_;  // from next_ to end_, in their order: before all of later_
  std::size_t next_ = 0, end_ = 0;
  EventHeap later_;
};

class Engine final : public TaskFailures {
 public:
  double now() const noexcept { return now_; }
  // `time` is not before now(). often: of something of which there is little, and which has most of what happens: kept
  // by itself, it stays in the processor's caches.
  void at(double time, Action& action) { many_.add({time > now_ ? time : now_, next_++, &action}); }
  void at_often(double time, Action& action) { few_.add({time > now_ ? time : now_, next_++, &action}); }
  // At this time, after all that was asked for before.
  void soon(Action& action) { soon_.push_back(&action); }
  // Until nothing is left to happen. Rethrows what a task threw.
  void run();
  std::int64_t events() const noexcept { return events_; }
  void fail(std::exception_ptr error) noexcept override {
    if (!error_) error_ = std::move(error);
  }

  // co_await engine.until(time)
  struct Sleep : Action {
    Sleep(Engine& on, double wake) noexcept : engine(on), time(wake) {}
    bool await_ready() const noexcept { return time <= engine.now(); }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> who) {
      sleeper = who;
      after = &who.promise().after;
      engine.at(time, *this);
    }
    void await_resume() const noexcept {}
    void happen() override { sleeper.resume(); }
    void fetch(int step) const noexcept override {
      if (step == 0) __builtin_prefetch(sleeper.address());
      if (step == 1) __builtin_prefetch(after->address());
    }

    Engine& engine;
    double time;
    std::coroutine_handle<> sleeper;
    const std::coroutine_handle<>* after = nullptr;  // who awaits the sleeper
  };
  Sleep until(double time) noexcept { return {*this, time}; }
  Sleep pause(double seconds) noexcept { return {*this, now_ + seconds}; }

 private:
  EventQueue& earliest() noexcept;
  void do_soon();

  double now_ = 0;
  std::uint64_t next_ = 0;
  std::int64_t events_ = 0;
  EventQueue few_, many_;
  std::vector<Action*> soon_;
  std::exception_ptr error_;
};

// Wakes all who wait for it, when it is told to: while (!condition) co_await signal;
class Signal {
 public:
  explicit Signal(Engine& engine) noexcept : engine_(&engine) {}
  void tell() {
    last_ = nullptr;
    for (Wait* wait = std::exchange(first_, nullptr); wait; wait = wait->next) engine_->soon(*wait);
  }

  // Whoever waits first has its text fetched, and who awaits that; steps as an action's.
  void fetch(int step) const noexcept {
    if (step == 0) __builtin_prefetch(this);
    if (step == 1 && first_) __builtin_prefetch(first_), __builtin_prefetch(first_->waiter.address());
    if (step == 2 && first_) __builtin_prefetch(first_->after->address());
  }

  struct Wait final : Action {
    explicit Wait(Signal& on) noexcept : signal(on) {}
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> who) {
      waiter = who;
      after = &who.promise().after;
      (signal.last_ ? signal.last_->next : signal.first_) = this;
      signal.last_ = this;
    }
    void await_resume() const noexcept {}
    void happen() override { waiter.resume(); }

    Signal& signal;
    std::coroutine_handle<> waiter;
    const std::coroutine_handle<>* after = nullptr;  // who awaits that
    Wait* next = nullptr;                            // that waits for the same
  };
  Wait operator co_await() noexcept { return Wait(*this); }

 private:
  Engine* engine_;
  Wait* first_ = nullptr;  // who waits, in the order in which they came
  Wait* last_ = nullptr;
};

}  // namespace weir::simulate
