// SPDX-License-Identifier: Apache-2.0
// Monotonic seconds, and deadlines: every wait of Weir has one. Local.
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

// Who knows more of a wait than its deadline does (mpi/liveness_check.hpp).
class Watch {
 public:
  virtual ~Watch() = default;
  // The wait goes on; called at every look at its deadline.
  virtual void look(double now) = 0;
  // Its time is over: how many seconds it is given beyond that; 0: none.
  virtual double extension(double seconds) = 0;
};

// Of a wait that looks at it some times a second. Time in which the rank did not run (a job that was suspended, a
// machine with too much to do) is not held against those it waits for: a look counts for a quarter of a second at most.
// To be looked at by one thread: that of the rank's calls, where there is a watch.
class Deadline {
 public:
  static constexpr double usual_seconds = 600, between_looks = 0.25;

  explicit Deadline(double seconds = usual_seconds, Watch* watch = nullptr) noexcept
      : seconds_(seconds), looked_(now_seconds()), end_(looked_ + seconds), due_(end_), watch_(watch) {}
  // May ask the watch, which takes a while, once the time is over.
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
  // By the clock its time is over: ranks that have waited for this one meanwhile may have given up.
  bool overdue() const noexcept { return now_seconds() > due_; }
  double seconds() const noexcept { return seconds_; }

 private:
  double seconds_;
  mutable double looked_, end_;
  double due_;
  mutable bool over_ = false;
  Watch* watch_;
};

// From which a deadline begins with each wait.
struct WaitLimit {
  double seconds = Deadline::usual_seconds;
  Watch* watch = nullptr;

  Deadline begin() const noexcept { return Deadline(seconds, watch); }
};

// How long each sleep of one who waits is: twice the one before it, until it is the longest. Pure.
class SleepTimes {
 public:
  static constexpr int first = 25, longest = 400;  // microseconds

  bool are_longest() const noexcept { return next_ == longest; }
  int next() noexcept { return std::exchange(next_, std::min(2 * next_, longest)); }

 private:
  int next_ = first;
};

// Between two looks at something that is awaited: gives the processor away, and soon sleeps, longer and longer, so that
// ranks that share a core with the one they wait for do not take its time.
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

// Processor time of this thread, in seconds. Local.

inline double thread_processor_seconds() noexcept {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace weir
