// SPDX-License-Identifier: Apache-2.0
#include "run/pulse.hpp"

#include <chrono>
#include <utility>

namespace weir {

namespace {

constexpr auto between_beats = std::chrono::milliseconds(1);

}  // namespace

Pulse::Pulse(Work work) : work_(std::move(work)), thread_([this] { run(); }) {}

void Pulse::stop() noexcept {
  wake(stopping_);
  if (thread_.joinable()) thread_.join();
}

void Pulse::wake(bool& why) noexcept {
  {
    const std::lock_guard lock(mutex_);
    why = true;
  }
  changed_.notify_one();
}

void Pulse::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return wanted_ || stopping_; });
    if (stopping_) return;
    wanted_ = false;
    lock.unlock();
    const bool more = beat_once();
    lock.lock();
    if (more && !changed_.wait_for(lock, between_beats, [&] { return stopping_; })) wanted_ = true;
  }
}

// Where the rank is in a call it wakes the thread when it leaves that.
bool Pulse::beat_once() {
  const std::unique_lock held(held_, std::try_to_lock);
  if (!held || failure_) return false;
  try {
    work_.beat();
  } catch (...) {
    failure_ = std::current_exception();
    return false;
  }
  return work_.expects();
}

Pulse::Hold::Hold(Pulse* pulse) : pulse_(pulse) {
  if (!pulse_) return;
  lock_ = std::unique_lock(pulse_->held_);
  if (!pulse_->told_ && pulse_->failure_) {
    pulse_->told_ = true;
    std::rethrow_exception(pulse_->failure_);
  }
  ++pulse_->depth_;
}

Pulse::Hold::~Hold() {
  if (!pulse_) return;
  const bool more = --pulse_->depth_ == 0 && pulse_->work_.expects();
  lock_.unlock();
  if (more) pulse_->wake(pulse_->wanted_);
}

}  // namespace weir
