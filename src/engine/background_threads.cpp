// SPDX-License-Identifier: Apache-2.0
#include "engine/background_threads.hpp"

#include <pthread.h>

#include <chrono>
#include <thread>
#include <utility>

#include "base/text.hpp"
#include "engine/run_world.hpp"

namespace weir {

namespace {

constexpr auto short_while = std::chrono::milliseconds(100);
constexpr auto unannounced = std::chrono::milliseconds(5);  // what other ranks change no rank announces here

}  // namespace

WriterThread::WriterThread(Work work, std::function<bool(const PendingWrite&)> sleep,
                           std::function<Deadline()> deadline, const CoreSet& cores)
    : BackgroundWriter(std::move(work)),
      sleep_(std::move(sleep)),
      deadline_(std::move(deadline)),
      worker_([this, cores](Worker::Lock& lock) {
        lock.unlock();
        run(cores);
        lock.lock();
      }) {}

void WriterThread::add(PendingWrite& pending) {
  worker_.change([&] { enqueue(pending); });
}

void WriterThread::notify() {
  worker_.change([&] { ++changes_; });
}

void WriterThread::pause(const std::function<void()>& change) {
  const std::lock_guard lock(writing_);
  change();
}

void WriterThread::drop() {
  const std::lock_guard both(writing_);
  const auto lock = worker_.lock();
  drop_waiting();
}

void WriterThread::await(const PendingWrite& pending) {
  const Deadline deadline = deadline_();
  while (!pending.done) {
    {
      auto lock = worker_.lock();
      worker_.await(lock, short_while, [&] { return pending.done.load(); });
    }
    if (!pending.done && deadline.passed()) throw Error(WEIR_ETIMEOUT, not_written(pending, deadline));
  }
}

void WriterThread::let_it_run() noexcept {
  for (int turn = 0; turn < 4; ++turn) std::this_thread::yield();
}

void WriterThread::run(const CoreSet& cores) {
  ::pthread_setname_np(::pthread_self(), writer_thread_name);
  if (!cores.empty()) static_cast<void>(cores.bind_this_thread());  // else it stays where it may run anyway
  while (write_next()) {
  }
}

PendingWrite* WriterThread::next() {
  auto lock = worker_.lock();
  const bool goes_on = worker_.sleep(lock, [&] { return oldest() != nullptr; });
  seen_ = changes_;
  return goes_on ? oldest() : nullptr;
}

void WriterThread::sleep(const PendingWrite& pending) {
  if (sleep_(pending)) return;
  auto lock = worker_.lock();
  worker_.sleep(lock, unannounced, [&] { return changes_ != seen_; });
}

bool WriterThread::begin(PendingWrite& pending) {
  std::unique_lock writing(writing_);
  const auto lock = worker_.lock();
  const bool taken = BackgroundWriter::take(pending);
  if (taken) held_ = std::move(writing);
  return taken;
}

void WriterThread::end(PendingWrite& pending) {
  {
    const auto lock = worker_.lock();
    finish(pending);
  }
  worker_.wake_waiters();
  held_.unlock();
}

namespace {

constexpr auto between_turns = std::chrono::milliseconds(1);

}  // namespace

ProgressThread::ProgressThread(Work work)
    : work_(std::move(work)), worker_([this](Worker::Lock& lock) { run(lock); }) {}

void ProgressThread::run(Worker::Lock& lock) {
  while (worker_.sleep(lock, [&] { return wanted_; })) {
    wanted_ = false;
    lock.unlock();
    const bool more = advance_once();
    lock.lock();
    if (more && worker_.sleep(lock, between_turns, [] { return false; })) wanted_ = true;
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
  if (!progress_thread_->thrown_ && progress_thread_->failure_) {
    progress_thread_->thrown_ = true;
    std::rethrow_exception(progress_thread_->failure_);
  }
  ++progress_thread_->depth_;
}

ProgressThread::Hold::~Hold() {
  if (!progress_thread_) return;
  const bool more = --progress_thread_->depth_ == 0 && progress_thread_->work_.expects();
  lock_.unlock();
  if (more) progress_thread_->worker_.change([&] { progress_thread_->wanted_ = true; });
}

}  // namespace weir
