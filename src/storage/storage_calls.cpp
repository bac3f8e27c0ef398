// SPDX-License-Identifier: Apache-2.0
#include "storage/storage_calls.hpp"

#include <chrono>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/join_or_detach.hpp"

namespace weir {

namespace {

constexpr auto between_notices = std::chrono::milliseconds(20);

std::string stuck(const std::string& what) {
  return what + ": the storage call has not returned";
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
  return join_or_detach(thread_, mutex_, done_, ended_);
}

Status StorageCalls::run(Call call, const std::string& what) {
  begin(std::move(call), what);
  return end(what);
}

void StorageCalls::begin(Call call, const std::string& what) {
  const std::lock_guard lock(mutex_);
  require(!wanted_, WEIR_ETIMEOUT, [&] { return stuck(what); });  // an earlier one was left
  call_ = std::move(call);
  if (!in_background_) return;
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  began_ = now_seconds();
  wanted_ = true;
  changed_.notify_one();
}

Status StorageCalls::end(const std::string& what) {
  if (!in_background_) return outcome_of(std::exchange(call_, nullptr));
  const LivenessCheck::Options& options = liveness_check_.options();
  std::unique_lock lock(mutex_);
  for (Deadline notice(options.timeout_seconds, &liveness_check_);
       !done_.wait_for(lock, between_notices, [&] { return !wanted_; });) {
    lock.unlock();
    if (notice.passed()) notice = Deadline(options.timeout_seconds, &liveness_check_);
    require(!(options.storage_seconds > 0) || now_seconds() - began_ < options.storage_seconds, WEIR_ETIMEOUT,
            [&] { return stuck(what); });
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
      const LivenessCheck::InStorage here(liveness_check_);
      status = outcome_of(call_);
      call_ = nullptr;  // files that it has to itself are closed here
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
