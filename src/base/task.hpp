// SPDX-License-Identifier: Apache-2.0
// A coroutine: a text that may wait in the middle. What a rank does while others do theirs is written once, as tasks
// over a world (flow/world.hpp). Where waiting is a call that polls, a task never suspends and is run_through() like
// any function; where time is simulated (simulate/engine.hpp) it suspends, and goes on when what it waits for has
// happened. Frames come from a pool of the thread: in its stride nothing is allocated. A result is awaited by `const
// bool x = co_await y;`, not within an expression: GCC 12 makes wrong code of `if (!co_await y)` and `co_return
// co_await y`. Local.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <type_traits>
#include <utility>

#include "base/error.hpp"

namespace weir {

// Memory of coroutines, which come and go by the million: kept for the next one of that size.
void* take_frame(std::size_t bytes);
void give_frame(void* frame, std::size_t bytes) noexcept;

// Hears of a task that fails on its own, where nobody awaits it.
class TaskFailures {
 public:
  virtual void fail(std::exception_ptr error) noexcept = 0;

 protected:
  ~TaskFailures() = default;
};

struct TaskPromise {
  static void* operator new(std::size_t bytes) { return take_frame(bytes); }
  static void operator delete(void* frame, std::size_t bytes) noexcept { give_frame(frame, bytes); }
  std::suspend_always initial_suspend() const noexcept { return {}; }
  struct Return {
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> done) const noexcept {
      TaskPromise& promise = done.promise();
      if (promise.failures && promise.error) promise.failures->fail(promise.error);
      return promise.after ? promise.after : std::noop_coroutine();
    }
    void await_resume() const noexcept {}
  };
  Return final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { error = std::current_exception(); }

  std::coroutine_handle<> after;  // who awaits it
  std::exception_ptr error;
  TaskFailures* failures = nullptr;  // of a task that was started
};

template <class Value>
struct ValuePromise : TaskPromise {
  void return_value(Value result) noexcept { value = result; }
  Value value{};
};

template <>
struct ValuePromise<void> : TaskPromise {
  void return_void() const noexcept {}
};

// What a task without a result knows.
struct Nothing {};

// Begins when it is awaited, started or run through.
template <class Value = void>
class [[nodiscard]] Task {
 public:
  struct promise_type : ValuePromise<Value> {
    Task get_return_object() noexcept { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
  };

  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)), known_(other.known_) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(known_, other.known_);
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }
  // Nothing to do: awaiting it costs nothing.
  static Task nothing() noexcept requires std::is_void_v<Value> { return Task(nullptr); }
  // The same where the result is known.
  template <class Known>
  static Task of(Known value) noexcept requires std::is_same_v<Known, Value> {
    Task task(nullptr);
    task.known_ = value;
    return task;
  }

  // Begins it, on its own; the task must live until it is done.
  void start(TaskFailures& failures) {
    handle_.promise().failures = &failures;
    handle_.resume();
  }
  bool done() const noexcept { return !handle_ || handle_.done(); }
  // Where nothing suspends: begins it and comes back when it is done. Throws what it threw.
  Value run_through() {
    if (handle_) handle_.resume();
    require(done(), WEIR_EINTERNAL, "a rank's step waits where it may not");
    return await_resume();
  }

  bool await_ready() const noexcept { return !handle_; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> who) noexcept {
    handle_.promise().after = who;
    return handle_;
  }
  Value await_resume() const {
    if (handle_ && handle_.promise().error) std::rethrow_exception(handle_.promise().error);
    if constexpr (!std::is_void_v<Value>) return handle_ ? handle_.promise().value : known_;
  }

 private:
  explicit Task(std::coroutine_handle<promise_type> handle) noexcept : handle_(handle), known_() {}
  std::coroutine_handle<promise_type> handle_;
  [[no_unique_address]] std::conditional_t<std::is_void_v<Value>, Nothing, Value> known_;
};

}  // namespace weir
