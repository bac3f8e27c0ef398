// SPDX-License-Identifier: Apache-2.0
// Processor time of this thread, in seconds. Local.
#pragma once

#include <ctime>

namespace weir {

inline double thread_processor_seconds() noexcept {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace weir
