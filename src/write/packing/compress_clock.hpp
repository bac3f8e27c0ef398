// SPDX-License-Identifier: Apache-2.0
// What compressing takes: of the thread's processor for the report, and spans for the trace, which leave out the writes
// in between. By the thread that writes; processor_seconds() by any.
#pragma once

#include <time.h>

#include <atomic>
#include <optional>

#include "base/trace.hpp"

namespace weir {

class CompressClock {
 public:
  void trace_by(TraceLane& lane) noexcept { lane_ = &lane; }
  void begin(int var) noexcept {
    var_ = var;
    running_ = true;
    go_on();
  }
  void end() noexcept {
    pause();
    running_ = false;
  }
  // It stands while this is there: what goes on is no compressing.
  class Pause {
   public:
    explicit Pause(CompressClock& clock) noexcept : clock_(clock) { clock_.pause(); }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;
    ~Pause() { clock_.go_on(); }

   private:
    CompressClock& clock_;
  };
  double processor_seconds() const noexcept { return seconds_.load(std::memory_order_relaxed); }

 private:
  void pause() noexcept {
    if (!running_) return;
    span_.reset();
    seconds_.store(seconds_.load(std::memory_order_relaxed) + processor_now() - began_, std::memory_order_relaxed);
  }
  void go_on() noexcept {
    if (!running_) return;
    if (lane_) span_.emplace(*lane_, Step::compress, Detail{.var = var_});
    began_ = processor_now();
  }
  // Of this thread.
  static double processor_now() noexcept {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }

  TraceLane* lane_ = nullptr;
  int var_ = -1;
  bool running_ = false;
  std::optional<Span> span_;
  double began_ = 0;
  std::atomic<double> seconds_ = 0;
};

}  // namespace weir
