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
    waiting_.push_back(&pending);
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
  waiting_.clear();
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

// The oldest pending write; nullptr when the thread is to end. `changes`: what is known when it is looked at.
PendingWrite* WriterThread::next(std::uint64_t& changes) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
  changes = changes_;
  return stopping_ ? nullptr : waiting_.front();
}

void WriterThread::run(const CoreSet& cores) {
  ::pthread_setname_np(::pthread_self(), writer_thread_name);
  if (!cores.empty()) static_cast<void>(cores.bind_this_thread());  // else it stays where it may run anyway
  std::uint64_t changes = 0;
  while (PendingWrite* pending = next(changes)) {
    if (work_.ready(*pending))
      write(*pending);
    else
      sleep(*pending, changes);
  }
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  done_.notify_all();
}

void WriterThread::sleep(const PendingWrite& pending, std::uint64_t changes) {
  if (sleep_(pending)) return;
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, unannounced, [&] { return stopping_ || changes_ != changes; });
}

void WriterThread::write(PendingWrite& pending) {
  const std::lock_guard writing(writing_);
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty() || waiting_.front() != &pending) return;  // dropped meanwhile
    waiting_.erase(waiting_.begin());
  }
  work_.write(pending).run_through();
  {
    const std::lock_guard lock(mutex_);
    pending.done = true;
    work_.done(waiting_.empty() ? nullptr : waiting_.front());
  }
  done_.notify_all();
}

}  // namespace weir
