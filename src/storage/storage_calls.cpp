// SPDX-License-Identifier: Apache-2.0
#include "storage/storage_calls.hpp"

#include <chrono>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace weir {

namespace {

constexpr auto between_notices = std::chrono::milliseconds(20);

std::string stuck(const std::string& what) {
  return formatted("{}: the storage call has not returned", what);
}

}  // namespace

Status StorageCalls::run(Call call, const std::string& what) {
  begin(std::move(call), what);
  return end(what);
}

void StorageCalls::begin(Call call, const std::string& what) {
  if (uses_thread_ && !worker_.begun()) worker_.begin([this](Worker::Lock& lock) { work(lock); });
  worker_.change([&] {
    if (wanted_) throw Error(WEIR_ETIMEOUT, stuck(what));  // an earlier one was left
    call_ = std::move(call);
    began_ = now_seconds();
    wanted_ = uses_thread_;
  });
}

Status StorageCalls::end(const std::string& what) {
  if (!uses_thread_) return outcome_of(std::exchange(call_, nullptr));
  const LivenessCheck::Options& options = liveness_check_.options();
  auto lock = worker_.lock();
  for (Deadline notice(options.timeout_seconds, &liveness_check_);
       !worker_.await(lock, between_notices, [&] { return !wanted_; });) {
    lock.unlock();
    if (notice.passed()) notice = Deadline(options.timeout_seconds, &liveness_check_);
    if (options.storage_seconds > 0 && !(now_seconds() - began_ < options.storage_seconds))
      throw Error(WEIR_ETIMEOUT, stuck(what));
    lock.lock();
  }
  return std::exchange(status_, {});
}

// A call that has begun is made, also where the thread is to stop.
void StorageCalls::work(Worker::Lock& lock) {
  while (worker_.sleep(lock, [&] { return wanted_; }) || wanted_) {
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
    worker_.wake_waiters();
  }
}

}  // namespace weir
