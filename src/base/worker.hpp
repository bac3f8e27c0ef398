// SPDX-License-Identifier: Apache-2.0
// A thread at work for a rank: the lock of what both use, how each wakes the other, and the end, also where the thread
// is in a system call that does not return.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace weir {

class Worker {
 public:
  using Lock = std::unique_lock<std::mutex>;
  using Work = std::function<void(Lock&)>;

  Worker() = default;
  explicit Worker(Work work) { begin(std::move(work)); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() { stop(); }

  // Begins the thread, which does `work` and ends. `work` is called, and returns, with the lock held. Once.
  void begin(Work work) {
    thread_ = std::thread([this, work = std::move(work)] {
      Lock held(mutex_);
      work(held);
      ended_ = true;
      progressed_.notify_all();
    });
  }
  bool begun() const noexcept { return thread_.joinable(); }

  Lock lock() { return Lock(mutex_); }
  // Runs `change` under the lock, and wakes the thread.
  template <class Change>
  void change(Change change) {
    {
      const Lock held(mutex_);
      change();
    }
    changed_.notify_one();
  }
  // Waits until `holds()` is true, for at most `most`; the thread wakes it by wake_waiters(). Returns `holds()`.
  template <class Holds>
  bool await(Lock& held, std::chrono::milliseconds most, Holds holds) {
    return progressed_.wait_for(held, most, holds);
  }
  bool stopping() const noexcept { return stopping_; }
  // Asks the thread to end, and waits until it has.
  void stop() noexcept {
    ask_to_stop();
    if (thread_.joinable()) thread_.join();
  }
  // As stop(), but waits at most a second. Returns false if the thread has not ended then: it is detached, and all that
  // it uses must stay valid until the process ends.
  [[nodiscard]] bool abandon() noexcept {
    if (!thread_.joinable()) return true;
    ask_to_stop();
    Lock held(mutex_);
    const bool in_time = await(held, std::chrono::seconds(1), [&] { return ended_; });
    held.unlock();
    in_time ? thread_.join() : thread_.detach();
    return in_time;
  }

  // For the thread itself: sleeps until `holds()` is true, or for at most `most`, or until it is to stop. Returns false
  // if it is to stop.
  template <class Holds>
  bool sleep(Lock& held, Holds holds) {
    changed_.wait(held, [&] { return stopping_ || holds(); });
    return !stopping_;
  }
  template <class Holds>
  bool sleep(Lock& held, std::chrono::milliseconds most, Holds holds) {
    changed_.wait_for(held, most, [&] { return stopping_ || holds(); });
    return !stopping_;
  }
  // For the thread itself: wakes await().
  void wake_waiters() noexcept { progressed_.notify_all(); }

 private:
  void ask_to_stop() noexcept {
    change([&] { stopping_ = true; });
  }

  std::mutex mutex_;
  std::condition_variable changed_, progressed_;
  std::atomic<bool> stopping_ = false;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace weir
