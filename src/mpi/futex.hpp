// SPDX-License-Identifier: Apache-2.0
// Sleeping on a word in memory that processes share, and waking who sleeps there. Local.
#pragma once

#include <atomic>
#include <cstdint>

namespace weir {

// Sleeps while the word has this value, at most a tenth of a second, so that deadlines are looked at.
void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept;
void wake_all(std::atomic<std::uint32_t>& word) noexcept;

}  // namespace weir
