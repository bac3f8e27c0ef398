// SPDX-License-Identifier: Apache-2.0
// Sleeps on a word in shared memory, and wakes the sleepers. mpi/host_status.hpp uses it. Local.
#pragma once

#include <atomic>
#include <cstdint>

namespace weir {

inline constexpr std::uint32_t any_reason = ~std::uint32_t{0};

inline constexpr int longest_nap = 100'000;  // microseconds: so that a sleeper looks at its deadline

// Sleeps while the word has this value, at most `longest` microseconds. A sleeper wakes if one of its reasons (bits) is
// among the waker's.
void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value, std::uint32_t reasons = any_reason,
                 int longest = longest_nap) noexcept;
void wake_all(std::atomic<std::uint32_t>& word, std::uint32_t reasons = any_reason) noexcept;
void wake_one(std::atomic<std::uint32_t>& word, std::uint32_t reasons = any_reason) noexcept;

}  // namespace weir
