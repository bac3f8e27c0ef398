// SPDX-License-Identifier: Apache-2.0
// Monotonic seconds, and deadlines: every wait of Weir has one. Local.
#pragma once

#include <chrono>

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
