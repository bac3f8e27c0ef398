// SPDX-License-Identifier: Apache-2.0
// A thread at work for a rank: the lock of what both know, how each wakes the other, and the end, also where the thread
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
      told_.notify_all();
    });
  }
  bool begun() const noexcept { return thread_.joinable(); }

  Lock lock() { return Lock(mutex_); }
  // Changes under the lock what both know, and wakes the thread.
  template <class Change>
  void change(Change change) {
    {
      const Lock held(mutex_);
      change();
    }
    changed_.notify_one();
  }
  // Waits for what the thread tells, so long at the most: whether it holds.
  template <class Holds>
  bool await(Lock& held, std::chrono::milliseconds most, Holds holds) {
    return told_.wait_for(held, most, holds);
  }
  bool stopping() const noexcept { return stopping_; }
  // Has the thread end, and waits for that.
  void stop() noexcept {
    ask_to_stop();
    if (thread_.joinable()) thread_.join();
  }
  // The same for a second at the most: false where it has not ended then. It goes on alone, and all that it knows must
  // outlive the process.
  [[nodiscard]] bool abandon() noexcept {
    if (!thread_.joinable()) return true;
    ask_to_stop();
    Lock held(mutex_);
    const bool in_time = await(held, std::chrono::seconds(1), [&] { return ended_; });
    held.unlock();
    in_time ? thread_.join() : thread_.detach();
    return in_time;
  }

  // The thread's own: sleeps until it holds, or for so long, or until it is to stop: false then.
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
  // The thread's own: wakes those who wait for it.
  void tell() noexcept { told_.notify_all(); }

 private:
  void ask_to_stop() noexcept {
    change([&] { stopping_ = true; });
  }

  std::mutex mutex_;
  std::condition_variable changed_, told_;
  std::atomic<bool> stopping_ = false;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace weir
