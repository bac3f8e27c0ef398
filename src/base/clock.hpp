// SPDX-License-Identifier: Apache-2.0
// Monotonic seconds, and deadlines: every wait of Weir has one (contract 4). Local.
#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>
#include <thread>
#include <utility>

namespace weir {

inline double now_seconds() noexcept {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Knows more of a wait than its deadline (mpi/liveness_check.hpp).
class Watch {
 public:
  virtual ~Watch() = default;
  // Called each time a wait looks at its deadline.
  virtual void look(double now) = 0;
  // The time is over: returns by how many seconds the wait goes on; 0: it ends.
  virtual double extension(double seconds) = 0;
};

// The deadline of a wait that looks at it several times a second. Time in which the rank did not run (a suspended job,
// a busy machine) does not count against the ranks that it waits for: a look counts for at most a quarter of a second.
// Thread: one; with a watch, the thread of the rank's calls.
class Deadline {
 public:
  static constexpr double usual_seconds = 600, between_looks = 0.25;

  explicit Deadline(double seconds = usual_seconds, Watch* watch = nullptr) noexcept
      : seconds_(seconds), looked_(now_seconds()), end_(looked_ + seconds), due_(end_), watch_(watch) {}
  // Whether the time is over. May ask the watch, which takes a while.
  bool passed() const {
    const double now = now_seconds();
    end_ += std::max(now - std::exchange(looked_, now) - between_looks, 0.0);
    if (now > end_ && !over_) {
      const double more = watch_ ? watch_->extension(seconds_) : 0;
      looked_ = now_seconds();
      end_ = looked_ + more;
      over_ = !(more > 0);
    } else if (watch_ && !over_) {
      watch_->look(now);
    }
    return over_;
  }
  // Whether the time is over by the clock: ranks that have waited for this one may have timed out.
  bool overdue() const noexcept { return now_seconds() > due_; }
  double seconds() const noexcept { return seconds_; }

 private:
  double seconds_;
  mutable double looked_, end_;
  double due_;
  mutable bool over_ = false;
  Watch* watch_;
};

// Makes a deadline at the beginning of each wait.
struct WaitLimit {
  double seconds = Deadline::usual_seconds;
  Watch* watch = nullptr;

  Deadline begin() const noexcept { return Deadline(seconds, watch); }
};

// The lengths of the sleeps of a waiting rank: each is twice the one before, up to the longest. Pure.
class SleepTimes {
 public:
  static constexpr int first = 25, longest = 400;  // microseconds

  bool are_longest() const noexcept { return next_ == longest; }
  int next() noexcept { return std::exchange(next_, std::min(2 * next_, longest)); }

 private:
  int next_ = first;
};

// What a waiting rank does between two looks: yields the processor, and soon sleeps, longer and longer, so that ranks
// on the same core do not lose its time.
class Backoff {
 public:
  static constexpr int yields_before_sleep = 16;
  static constexpr int short_sleep = 50, longest_sleep = SleepTimes::longest;  // microseconds

  // `longest`: of the sleep. A short one where something moves only while this rank looks.
  void pause(int longest = longest_sleep) noexcept {
    pause(longest, [](int microseconds) { std::this_thread::sleep_for(std::chrono::microseconds(microseconds)); });
  }
  // `sleep(microseconds)`: where something can wake this rank earlier.
  template <class Sleep>
  void pause(int longest, Sleep sleep) noexcept {
    if (++looks_ <= yields_before_sleep) {
      std::this_thread::yield();
      return;
    }
    sleep(std::min(sleep_times_.next(), longest));
  }

 private:
  int looks_ = 0;
  SleepTimes sleep_times_;
};

// Adds the time until its end to a sum.
class Stopwatch {
 public:
  explicit Stopwatch(double& sum) noexcept : sum_(sum), start_(now_seconds()) {}
  ~Stopwatch() { sum_ += now_seconds() - start_; }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& sum_;
  double start_;
};

// Returns the processor seconds of this thread.
inline double thread_processor_seconds() noexcept {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace weir
