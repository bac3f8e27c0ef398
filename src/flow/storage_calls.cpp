// SPDX-License-Identifier: Apache-2.0
#include "flow/storage_calls.hpp"

#include <chrono>
#include <exception>
#include <string>
#include <utility>

namespace weir {

namespace {

constexpr auto between_looks = std::chrono::milliseconds(20);
constexpr auto parting = std::chrono::seconds(1);

Status outcome_of(const StorageCalls::Call& call) noexcept {
  try {
    return call();
  } catch (const Error& error) {
    return {error.code(), error.what(), -1};
  } catch (const std::exception& error) {
    return {WEIR_EINTERNAL, error.what(), -1};
  }
}

}  // namespace

StorageCalls::~StorageCalls() {
  stop();
  if (thread_.joinable()) thread_.join();
}

void StorageCalls::stop() noexcept {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
}

bool StorageCalls::abandon() noexcept {
  if (!thread_.joinable()) return true;
  stop();
  std::unique_lock lock(mutex_);
  const bool ended = done_.wait_for(lock, parting, [&] { return ended_; });
  lock.unlock();
  ended ? thread_.join() : thread_.detach();
  return ended;
}

Status StorageCalls::run(Call call, const Deadline& deadline, const char* what) {
  std::unique_lock lock(mutex_);
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  call_ = std::move(call);
  wanted_ = true;
  changed_.notify_one();
  while (!done_.wait_for(lock, between_looks, [&] { return !wanted_; })) {
    lock.unlock();
    require(!deadline.passed(), WEIR_ETIMEOUT,
            [&] { return std::string(what) + ": the storage has not come to an end of it"; });
    lock.lock();
  }
  return std::exchange(status_, {});
}

void StorageCalls::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return wanted_ || stopping_; });
    if (!wanted_) break;
    lock.unlock();
    Status status;
    {
      const RollCall::InStorage here(roll_call_);
      status = outcome_of(call_);
    }
    lock.lock();
    status_ = std::move(status);
    wanted_ = false;
    done_.notify_one();
  }
  ended_ = true;
  done_.notify_one();
}

}  // namespace weir
