// SPDX-License-Identifier: Apache-2.0
#include "run/writer_thread.hpp"

#include <pthread.h>

#include <chrono>
#include <utility>

#include "base/parting.hpp"
#include "run/run_world.hpp"

namespace weir {

namespace {

constexpr auto short_while = std::chrono::milliseconds(100);
constexpr auto unannounced = std::chrono::milliseconds(5);  // what other ranks change nobody announces here

}  // namespace

WriterThread::WriterThread(Work work, std::function<bool(const PendingWrite&)> sleep,
                           std::function<Deadline()> deadline, const CoreSet& cores)
    : work_(std::move(work)),
      sleep_(std::move(sleep)),
      deadline_(std::move(deadline)),
      thread_([this, cores] { run(cores); }) {}

WriterThread::~WriterThread() {
  stopping_ = true;
  look_again();
  if (thread_.joinable()) thread_.join();
}

bool WriterThread::abandon() noexcept {
  stopping_ = true;
  look_again();
  return part_from(thread_, mutex_, done_, ended_);
}

void WriterThread::add(PendingWrite& pending) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.add(pending);
  }
  changed_.notify_all();
}

void WriterThread::look_again() {
  {
    const std::lock_guard lock(mutex_);
    ++changes_;
  }
  changed_.notify_all();
}

void WriterThread::pause(const std::function<void()>& change) {
  const std::lock_guard lock(writing_);
  change();
}

void WriterThread::drop() {
  const std::lock_guard both(writing_);
  const std::lock_guard lock(mutex_);
  waiting_.drop();
}

Task<> WriterThread::await(const PendingWrite& pending) {
  const Deadline deadline = deadline_();
  while (!pending.done) {
    {
      std::unique_lock lock(mutex_);
      done_.wait_for(lock, short_while, [&] { return pending.done.load(); });
    }
    require(pending.done || !deadline.passed(), WEIR_ETIMEOUT, [&] { return not_written(pending, deadline); });
  }
  return Task<>::nothing();
}

void WriterThread::let_it_run() noexcept {
  for (int turn = 0; turn < 4; ++turn) std::this_thread::yield();
}

void WriterThread::run(const CoreSet& cores) {
  ::pthread_setname_np(::pthread_self(), writer_thread_name);
  if (!cores.empty()) static_cast<void>(cores.bind_this_thread());  // else it stays where it may run anyway
  while (write_next(*this, work_).run_through()) {
  }
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  done_.notify_all();
}

Task<PendingWrite*> WriterThread::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stopping_ || waiting_.oldest(); });
  seen_ = changes_;
  return Task<PendingWrite*>::of(stopping_ ? nullptr : waiting_.oldest());
}

Task<> WriterThread::sleep(const PendingWrite& pending) {
  if (!sleep_(pending)) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, unannounced, [&] { return stopping_ || changes_ != seen_; });
  }
  return Task<>::nothing();
}

bool WriterThread::begin(PendingWrite& pending) {
  std::unique_lock writing(writing_);
  const std::lock_guard lock(mutex_);
  const bool taken = waiting_.take(pending);
  if (taken) held_ = std::move(writing);
  return taken;
}

void WriterThread::end(PendingWrite& pending) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.end(pending, work_);
  }
  done_.notify_all();
  held_.unlock();
}

}  // namespace weir
