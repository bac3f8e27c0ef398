// SPDX-License-Identifier: Apache-2.0
// Calls to storage that a rank waits for (making, opening and closing a file, a write of its own, fill values, syncing
// and renaming at a commit), made by a thread of its own: so a rank whose storage is slow still answers liveness checks
// (mpi/liveness_check.hpp), and may return when its time limit has passed. The thread begins with the first call. What
// it calls touches files, and MPI only where any thread may.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include "base/error.hpp"
#include "mpi/liveness_check.hpp"

namespace weir {

class StorageCalls {
 public:
  using Call = std::function<Status()>;

  // beside: false where nothing reaches a storage, or no rank waits for this rank; it then makes the calls itself.
  StorageCalls(LivenessCheck& liveness_check, bool in_background)
      : liveness_check_(liveness_check), in_background_(in_background) {}
  StorageCalls(const StorageCalls&) = delete;
  StorageCalls& operator=(const StorageCalls&) = delete;
  ~StorageCalls();

  // Makes the call and returns what it does, however long that takes: ranks that do not answer meanwhile may be
  // computing. Throws Error(WEIR_ETIMEOUT) naming `what` after storage_timeout; what the call knows must then outlive
  // the process, and the thread be abandoned.
  Status run(Call call, const std::string& what);
  // run() in two: who begins a call goes on meanwhile, and ends it before any other. Where the rank makes its calls
  // itself, it is made at the end.
  void begin(Call call, const std::string& what);
  Status end(const std::string& what);
  // As run(), of a call that makes something, and throws what that throws. It is to own what it knows.
  template <class Make>
  auto get(Make make, const std::string& what);
  // False where the thread is in a call that has not come to an end within a second: it goes on alone.
  [[nodiscard]] bool abandon() noexcept;

 private:
  void work();
  void stop() noexcept;

  LivenessCheck& liveness_check_;
  bool in_background_;
  std::mutex mutex_;
  std::condition_variable changed_, done_;
  Call call_;
  bool wanted_ = false, stopping_ = false, ended_ = false;
  Status status_;
  double began_ = 0;  // the call, as now_seconds()
  std::thread thread_;
};

template <class Make>
auto StorageCalls::get(Make make, const std::string& what) {
  const auto made = std::make_shared<std::optional<std::invoke_result_t<const Make&>>>();
  run([made, make = std::move(make)] { return made->emplace(make()), Status(); }, what).raise();
  return std::move(**made);
}

}  // namespace weir
