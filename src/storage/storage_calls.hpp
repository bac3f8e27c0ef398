// SPDX-License-Identifier: Apache-2.0
// Makes the storage calls that a rank waits for (creating, opening and closing a file, writes, fill values, syncs,
// renames) in a thread of their own. So a rank with slow storage still answers liveness checks
// (mpi/liveness_check.hpp), and can return when its time limit has passed (contract 4).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "base/error.hpp"
#include "base/worker.hpp"
#include "mpi/liveness_check.hpp"

namespace weir {

// Thread: the thread of the rank's calls. The storage thread starts with the first call; it calls storage, and MPI only
// where any thread may (contract 7).
class StorageCalls {
 public:
  using Call = std::function<Status()>;

  // `uses_thread`: false if no call reaches storage, or no rank waits for this rank; then the rank makes the calls
  // itself.
  StorageCalls(LivenessCheck& liveness_check, bool uses_thread)
      : liveness_check_(liveness_check), uses_thread_(uses_thread) {}

  // Makes the call, and returns its status, however long it takes. An exception of the call becomes a status. `what` is
  // for messages.
  // Requires: the call owns what it uses, because after a timeout the thread may still run it.
  // Errors: throws WEIR_ETIMEOUT after storage_timeout, or if an earlier call was left behind. What the call uses must
  // then live as long as the process; the owner calls abandon().
  Status run(Call call, const std::string& what);
  // run() in two parts: between them the rank does other work, but makes no other call. Without a thread, end() makes
  // the call.
  void begin(Call call, const std::string& what);
  Status end(const std::string& what);
  // Makes a call that returns a value, as run(); throws the call's error.
  template <class Make>
  auto get(Make make, const std::string& what);
  // Ends the thread after a timeout. Returns false if its call has not returned within a second: the thread is then
  // detached.
  [[nodiscard]] bool abandon() noexcept { return worker_.abandon(); }

 private:
  void work(Worker::Lock& lock);

  LivenessCheck& liveness_check_;
  bool uses_thread_;
  Call call_;
  bool wanted_ = false;
  Status status_;
  double began_ = 0;  // the call, as now_seconds()
  Worker worker_;
};

template <class Make>
auto StorageCalls::get(Make make, const std::string& what) {
  const auto made = std::make_shared<std::optional<std::invoke_result_t<const Make&>>>();
  run([made, make = std::move(make)] { return made->emplace(make()), Status(); }, what).raise();
  return std::move(**made);
}

}  // namespace weir
