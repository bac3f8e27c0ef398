// SPDX-License-Identifier: Apache-2.0
#include "run/progress_thread.hpp"

#include <chrono>
#include <utility>

namespace weir {

namespace {

constexpr auto between_turns = std::chrono::milliseconds(1);

}  // namespace

ProgressThread::ProgressThread(Work work) : work_(std::move(work)), thread_([this] { run(); }) {}

void ProgressThread::stop() noexcept {
  wake(stopping_);
  if (thread_.joinable()) thread_.join();
}

void ProgressThread::wake(bool& why) noexcept {
  {
    const std::lock_guard lock(mutex_);
    why = true;
  }
  changed_.notify_one();
}

void ProgressThread::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return wanted_ || stopping_; });
    if (stopping_) return;
    wanted_ = false;
    lock.unlock();
    const bool more = advance_once();
    lock.lock();
    if (more && !changed_.wait_for(lock, between_turns, [&] { return stopping_; })) wanted_ = true;
  }
}

// Where the rank is in a call it wakes the thread when it leaves that.
bool ProgressThread::advance_once() {
  const std::unique_lock held(held_, std::try_to_lock);
  if (!held || failure_) return false;
  try {
    work_.advance();
  } catch (...) {
    failure_ = std::current_exception();
    return false;
  }
  return work_.expects();
}

ProgressThread::Hold::Hold(ProgressThread* progress_thread) : progress_thread_(progress_thread) {
  if (!progress_thread_) return;
  lock_ = std::unique_lock(progress_thread_->held_);
  if (!progress_thread_->told_ && progress_thread_->failure_) {
    progress_thread_->told_ = true;
    std::rethrow_exception(progress_thread_->failure_);
  }
  ++progress_thread_->depth_;
}

ProgressThread::Hold::~Hold() {
  if (!progress_thread_) return;
  const bool more = --progress_thread_->depth_ == 0 && progress_thread_->work_.expects();
  lock_.unlock();
  if (more) progress_thread_->wake(progress_thread_->wanted_);
}

}  // namespace weir
