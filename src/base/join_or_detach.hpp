// SPDX-License-Identifier: Apache-2.0
// Ends a thread that may be in a system call that does not return. Local.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace weir {

// Joins a thread that is to stop, and that sets `ended` under `mutex` and signals `done` at its end. Waits at most a
// second; then detaches it and returns false: all that the thread uses must live as long as the process.
[[nodiscard]] inline bool join_or_detach(std::thread& thread, std::mutex& mutex, std::condition_variable& done,
                                         const bool& ended) {
  std::unique_lock lock(mutex);
  const bool in_time = done.wait_for(lock, std::chrono::seconds(1), [&] { return ended; });
  lock.unlock();
  in_time ? thread.join() : thread.detach();
  return in_time;
}

}  // namespace weir
