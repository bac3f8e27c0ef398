// SPDX-License-Identifier: Apache-2.0
#include "run/writer_thread.hpp"

#include <pthread.h>

#include <chrono>
#include <utility>

#include "base/join_or_detach.hpp"
#include "run/run_world.hpp"

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
      thread_([this, cores] { run(cores); }) {}

WriterThread::~WriterThread() {
  stopping_ = true;
  notify();
  if (thread_.joinable()) thread_.join();
}

bool WriterThread::abandon() noexcept {
  stopping_ = true;
  notify();
  return join_or_detach(thread_, mutex_, done_, ended_);
}

void WriterThread::add(PendingWrite& pending) {
  {
    const std::lock_guard lock(mutex_);
    enqueue(pending);
  }
  changed_.notify_all();
}

void WriterThread::notify() {
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
  drop_waiting();
}

void WriterThread::await(const PendingWrite& pending) {
  const Deadline deadline = deadline_();
  while (!pending.done) {
    {
      std::unique_lock lock(mutex_);
      done_.wait_for(lock, short_while, [&] { return pending.done.load(); });
    }
    require(pending.done || !deadline.passed(), WEIR_ETIMEOUT, [&] { return not_written(pending, deadline); });
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
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  done_.notify_all();
}

PendingWrite* WriterThread::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stopping_ || oldest(); });
  seen_ = changes_;
  return stopping_ ? nullptr : oldest();
}

void WriterThread::sleep(const PendingWrite& pending) {
  if (!sleep_(pending)) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, unannounced, [&] { return stopping_ || changes_ != seen_; });
  }
}

bool WriterThread::begin(PendingWrite& pending) {
  std::unique_lock writing(writing_);
  const std::lock_guard lock(mutex_);
  const bool taken = BackgroundWriter::take(pending);
  if (taken) held_ = std::move(writing);
  return taken;
}

void WriterThread::end(PendingWrite& pending) {
  {
    const std::lock_guard lock(mutex_);
    finish(pending);
  }
  done_.notify_all();
  held_.unlock();
}

}  // namespace weir
