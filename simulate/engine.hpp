// SPDX-License-Identifier: Apache-2.0
// Simulated time. Things happen one after another, by time and, at one time, in the order in which they were asked for:
// the same run twice is the same to the bit. Whoever takes part is a Task, a coroutine that reads as what a rank does
// (wait, then go on), or, where millions are needed, an Action. Nothing here knows what is simulated. Pure, Local.
#pragma once

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

 protected:
  ~Action() = default;
};

// What is to happen, the first of it at hand.
class EventHeap {
 public:
  struct Event {
    double time;
    std::uint64_t number;
    Action* action;
    bool before(const Event& other) const noexcept {
      return time != other.time ? time < other.time : number < other.number;
    }
  };
  bool empty() const noexcept { return events_.empty(); }
  const Event& first() const noexcept { return events_.front(); }
  void add(const Event& event);
  // The first one happens between these. What is added first meanwhile takes its place, which spares looking for one.
  void begin_first() noexcept;
  void end_first() noexcept;

 private:
  void rise(std::size_t at) noexcept;
  void sink_first(const Event& event) noexcept;

  std::vector<Event> events_;  // of four children each: half as deep as one of two
  bool first_is_done_ = false;
};

class Engine final : public TaskFailures {
 public:
  double now() const noexcept { return now_; }
  // `time` is not before now(). often: of something of which there is little, and which has most of what happens: kept
  // by itself, it stays in the processor's caches.
  void at(double time, Action& action) { many_.add({time < now_ ? now_ : time, next_++, &action}); }
  void at_often(double time, Action& action) { few_.add({time < now_ ? now_ : time, next_++, &action}); }
  // At this time, after all that was asked for before.
  void soon(Action& action) { soon_.push_back(&action); }
  // Until nothing is left to happen. Rethrows what a task threw.
  void run();
  std::int64_t events() const noexcept { return events_; }
  void fail(std::exception_ptr error) noexcept override {
    if (!error_) error_ = std::move(error);
  }

  // co_await engine.until(time)
  struct Sleep final : Action {
    Sleep(Engine& on, double wake) noexcept : engine(on), time(wake) {}
    bool await_ready() const noexcept { return time <= engine.now(); }
    void await_suspend(std::coroutine_handle<> who) {
      sleeper = who;
      engine.at(time, *this);
    }
    void await_resume() const noexcept {}
    void happen() override { sleeper.resume(); }

    Engine& engine;
    double time;
    std::coroutine_handle<> sleeper;
  };
  Sleep until(double time) noexcept { return {*this, time}; }
  Sleep pause(double seconds) noexcept { return {*this, now_ + seconds}; }

 private:
  EventHeap& earliest() noexcept;
  void do_soon();

  double now_ = 0;
  std::uint64_t next_ = 0;
  std::int64_t events_ = 0;
  EventHeap few_, many_;
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

  struct Wait final : Action {
    explicit Wait(Signal& on) noexcept : signal(on) {}
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> who) {
      waiter = who;
      (signal.last_ ? signal.last_->next : signal.first_) = this;
      signal.last_ = this;
    }
    void await_resume() const noexcept {}
    void happen() override { waiter.resume(); }

    Signal& signal;
    std::coroutine_handle<> waiter;
    Wait* next = nullptr;  // that waits for the same
  };
  Wait operator co_await() noexcept { return Wait(*this); }

 private:
  Engine* engine_;
  Wait* first_ = nullptr;  // who waits, in the order in which they came
  Wait* last_ = nullptr;
};

}  // namespace weir::simulate
