// SPDX-License-Identifier: Apache-2.0
#include "mpi/futex.hpp"

#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>
#else
#include <chrono>
#include <thread>
#endif

namespace weir {

#ifdef __linux__
void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept {
  const timespec longest{0, 100'000'000};
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT, value, &longest, nullptr, 0);
}

void wake_all(std::atomic<std::uint32_t>& word) noexcept {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}
#else
void sleep_while(std::atomic<std::uint32_t>&, std::uint32_t) noexcept {
  std::this_thread::sleep_for(std::chrono::microseconds(100));
}
void wake_all(std::atomic<std::uint32_t>&) noexcept {}
#endif

}  // namespace weir
