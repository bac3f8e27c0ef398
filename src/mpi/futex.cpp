// SPDX-License-Identifier: Apache-2.0
#include "mpi/futex.hpp"

#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>
#else
#include <algorithm>
#include <chrono>
#include <thread>
#endif

namespace weir {

#ifdef __linux__
namespace {

void wake(std::atomic<std::uint32_t>& word, int most, std::uint32_t reasons) noexcept {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE_BITSET, most, nullptr, nullptr, reasons);
}

}  // namespace

void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value, std::uint32_t reasons, int longest) noexcept {
  constexpr long second = 1'000'000'000, microsecond = 1000;
  timespec end{};
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_nsec += longest * microsecond;
  if (end.tv_nsec >= second) {
    ++end.tv_sec;
    end.tv_nsec -= second;
  }
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT_BITSET, value, &end, nullptr, reasons);
}

void wake_all(std::atomic<std::uint32_t>& word, std::uint32_t reasons) noexcept {
  wake(word, INT_MAX, reasons);
}
void wake_one(std::atomic<std::uint32_t>& word, std::uint32_t reasons) noexcept {
  wake(word, 1, reasons);
}
#else
void sleep_while(std::atomic<std::uint32_t>&, std::uint32_t, std::uint32_t, int longest) noexcept {
  std::this_thread::sleep_for(std::chrono::microseconds(std::min(longest, 100)));
}
void wake_all(std::atomic<std::uint32_t>&, std::uint32_t) noexcept {}
void wake_one(std::atomic<std::uint32_t>&, std::uint32_t) noexcept {}
#endif

}  // namespace weir
