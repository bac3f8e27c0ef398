// SPDX-License-Identifier: Apache-2.0
// Measures compression: the thread's processor time for the report, and spans for the trace, which leave out the writes
// in between. Used by the thread that writes; processor_seconds() by any.
#pragma once

#include <atomic>
#include <optional>

#include "base/processor_clock.hpp"
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
    seconds_.store(seconds_.load(std::memory_order_relaxed) + thread_processor_seconds() - began_,
                   std::memory_order_relaxed);
  }
  void go_on() noexcept {
    if (!running_) return;
    if (lane_) span_.emplace(*lane_, Step::compress, Detail{.var = var_});
    began_ = thread_processor_seconds();
  }

  TraceLane* lane_ = nullptr;
  int var_ = -1;
  bool running_ = false;
  std::optional<Span> span_;
  double began_ = 0;
  std::atomic<double> seconds_ = 0;
};

}  // namespace weir
