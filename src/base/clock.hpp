// SPDX-License-Identifier: Apache-2.0
// Monotonic seconds, and deadlines: every wait of Weir has one. Local.
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

namespace weir {

inline double now_seconds() noexcept {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class Deadline {
 public:
  explicit Deadline(double seconds) noexcept : seconds_(seconds), end_(now_seconds() + seconds) {}
  bool passed() const noexcept { return now_seconds() > end_; }
  double seconds() const noexcept { return seconds_; }

 private:
  double seconds_;
  double end_;
};

// Between two looks at something that is awaited: gives the processor away, and soon sleeps, longer and longer, so that
// ranks that share a core with the one they wait for do not take its time.
class Patience {
 public:
  static constexpr int looks_awake = 16;
  static constexpr int first_sleep = 25, longest_sleep = 400;  // microseconds

  void pause() noexcept {
    if (++looks_ <= looks_awake) {
      std::this_thread::yield();
      return;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(sleep_));
    sleep_ = std::min(2 * sleep_, longest_sleep);
  }

 private:
  int looks_ = 0;
  int sleep_ = first_sleep;
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

}  // namespace weir
