// SPDX-License-Identifier: Apache-2.0
// Ends a thread that may be in a system call that does not return. Local.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace weir {

// Of a thread that has been told to stop, and then sets `ended` under `mutex` and tells `done`. Waits a second for
// that. False where it does not come: it goes on alone, with all that it knows.
[[nodiscard]] inline bool join_or_detach(std::thread& thread, std::mutex& mutex, std::condition_variable& done,
                                         const bool& ended) {
  std::unique_lock lock(mutex);
  const bool in_time = done.wait_for(lock, std::chrono::seconds(1), [&] { return ended; });
  lock.unlock();
  in_time ? thread.join() : thread.detach();
  return in_time;
}

}  // namespace weir
