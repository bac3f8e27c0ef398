// SPDX-License-Identifier: Apache-2.0
// Simulated time. Things happen one after another, by time and, at one time, in the order in which they were asked for:
// the same run twice is the same to the bit. Whoever takes part is a Task, a coroutine that reads as what a rank does
// (wait, then go on), or, where millions are needed, an Action. Nothing here knows what is simulated. Pure, Local.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <utility>
#include <vector>

namespace weir::simulate {

// Something that is to happen. It must live until then.
class Action {
 public:
  virtual void happen() = 0;

 protected:
  ~Action() = default;
};

class Engine {
 public:
  double now() const noexcept { return now_; }
  // `time` is not before now().
  void at(double time, Action& action);
  // At this time, after all that was asked for before.
  void soon(Action& action) { soon_.push_back(&action); }
  // Until nothing is left to happen. Rethrows what a task threw.
  void run();
  std::int64_t events() const noexcept { return events_; }
  void fail(std::exception_ptr error) noexcept {
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
  struct Event {
    double time;
    std::uint64_t number;
    Action* action;
    bool before(const Event& other) const noexcept {
      return time != other.time ? time < other.time : number < other.number;
    }
  };
  void rise(std::size_t at) noexcept;
  Event take_first() noexcept;

  double now_ = 0;
  std::uint64_t next_ = 0;
  std::int64_t events_ = 0;
  std::vector<Event> heap_;  // of four children each: half as deep as one of two
  std::deque<Action*> soon_;
  std::exception_ptr error_;
};

// Memory of coroutines, which come and go by the million: kept for the next one of that size, until none is left.
void* take_frame(std::size_t bytes);
void give_frame(void* frame, std::size_t bytes) noexcept;

// A coroutine that begins when it is awaited, or started.
class [[nodiscard]] Task {
 public:
  struct promise_type {
    static void* operator new(std::size_t bytes) { return take_frame(bytes); }
    static void operator delete(void* frame, std::size_t bytes) noexcept { give_frame(frame, bytes); }
    Task get_return_object() noexcept { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() const noexcept { return {}; }
    struct Return {
      bool await_ready() const noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> done) const noexcept {
        promise_type& promise = done.promise();
        if (promise.engine && promise.error) promise.engine->fail(promise.error);
        return promise.after ? promise.after : std::noop_coroutine();
      }
      void await_resume() const noexcept {}
    };
    Return final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    void unhandled_exception() noexcept { error = std::current_exception(); }

    std::coroutine_handle<> after;  // who awaits it
    std::exception_ptr error;
    Engine* engine = nullptr;  // of a task that was started
  };

  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }
  // Nothing to do: awaiting it costs nothing.
  static Task nothing() noexcept { return Task(nullptr); }

  // Begins it, on its own; the task must live until it is done.
  void start(Engine& engine) {
    handle_.promise().engine = &engine;
    handle_.resume();
  }
  bool done() const noexcept { return !handle_ || handle_.done(); }

  bool await_ready() const noexcept { return !handle_; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> who) noexcept {
    handle_.promise().after = who;
    return handle_;
  }
  void await_resume() const {
    if (handle_ && handle_.promise().error) std::rethrow_exception(handle_.promise().error);
  }

 private:
  explicit Task(std::coroutine_handle<promise_type> handle) noexcept : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

// Wakes all who wait for it, when it is told to: while (!condition) co_await signal;
class Signal {
 public:
  explicit Signal(Engine& engine) noexcept : engine_(&engine) {}
  void tell() {
    last_ = nullptr;
    for (Wait* wait = std::exchange(first_, nullptr); wait; wait = wait->next) engine_->soon(*wait);
  }
  bool awaited() const noexcept { return first_ != nullptr; }

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
