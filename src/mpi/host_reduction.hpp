// SPDX-License-Identifier: Apache-2.0
// A reduction over ranks that share memory, without messages: each rank leaves its values in its slot, the last one
// computes the largest of all, and wakes the others, which sleep. So waiting ranks do not take processor time from the
// ranks on the same cores, and no rank waits for the end of a timed sleep.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace weir {

// Ends a wait for other ranks: throws Error(WEIR_ETIMEOUT) naming `what`.
[[noreturn]] void give_up(std::string_view what, const Deadline& deadline);

class HostReduction {
 public:
  static constexpr std::size_t most_values = 24;
  // Zeroed, in each rank's shared segment. Its rank alone writes the values; the rest is of the first rank's slot.
  struct alignas(64) Slot {
    std::int64_t values[most_values];
    std::int64_t largest[most_values];    // of the last agreement
    std::atomic<std::uint32_t> come;      // ranks that are at the one which has begun
    std::atomic<std::uint32_t> finished;  // agreements that are over; who waits sleeps here
  };

  // Ranks that do not all share memory: there is none.
  HostReduction() = default;
  // `slots` of all ranks; `own`: of this one. `look`: called at each look of one who waits.
  HostReduction(std::vector<Slot*> slots, int own, std::function<void()> look)
      : slots_(std::move(slots)), own_(static_cast<std::size_t>(own)), look_(std::move(look)) {}

  // Whether ranks that bring so many values can meet here.
  bool takes(std::size_t values) const noexcept { return !slots_.empty() && values <= most_values; }
  // Each value becomes the largest that a rank has brought. Throws Error(WEIR_ETIMEOUT) where a rank does not come;
  // there is no other agreement then. Collective; a barrier.
  void max(std::span<std::int64_t> values, const Deadline& deadline, std::string_view what);

 private:
  void conclude(std::size_t values) noexcept;
  void wait(const Deadline& deadline, std::string_view what) const;

  std::vector<Slot*> slots_;
  std::size_t own_ = 0;
  std::function<void()> look_;
  std::uint32_t meetings_ = 0;  // that this rank has come to
};

}  // namespace weir
