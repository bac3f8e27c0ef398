// SPDX-License-Identifier: Apache-2.0
// Calls to storage that a rank waits for (a write of its own, fill values, syncing at a commit), made by a thread of
// its own meanwhile: so a rank whose storage is slow still answers who asks whether it is there (mpi/roll_call.hpp),
// and may go when it has waited for as long as it may. The thread begins with the first call. It touches files, never
// MPI.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "mpi/roll_call.hpp"

namespace weir {

class StorageCalls {
 public:
  using Call = std::function<Status()>;

  explicit StorageCalls(RollCall& roll_call) : roll_call_(roll_call) {}
  StorageCalls(const StorageCalls&) = delete;
  StorageCalls& operator=(const StorageCalls&) = delete;
  ~StorageCalls();

  // Makes the call and returns what it does. Throws Error(WEIR_ETIMEOUT) naming `what`; what the call knows must then
  // outlive the process, and the thread be abandoned.
  Status run(Call call, const Deadline& deadline, const char* what);
  // False where the thread is in a call that has not come to an end within a second: it goes on alone.
  [[nodiscard]] bool abandon() noexcept;

 private:
  void work();
  void stop() noexcept;

  RollCall& roll_call_;
  std::mutex mutex_;
  std::condition_variable changed_, done_;
  Call call_;
  bool wanted_ = false, stopping_ = false, ended_ = false;
  Status status_;
  std::thread thread_;
};

}  // namespace weir
