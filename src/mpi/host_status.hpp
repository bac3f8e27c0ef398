// SPDX-License-Identifier: Apache-2.0
// The shared status of a host: its ranks exchange their progress through shared memory, without messages and without a
// barrier. Each rank has an entry that only it writes: the last cycle whose pieces it has put in place, the last cycle
// it has finished writing, and whether it is out of sync (one of its calls was refused, so that it cannot do what the
// others do). Others read it, or sleep until it changes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace weir {

class HostStatus {
 public:
  // One cache line, zeroed, at the beginning of each rank's shared segment.
  struct alignas(64) Entry {
    std::atomic<std::uint32_t> put;          // cycles whose pieces are in place
    std::atomic<std::uint32_t> written;      // cycles whose tiles are written
    std::atomic<std::uint32_t> met;          // agreements of all ranks this rank has come to
    std::atomic<std::uint32_t> out_of_sync;  // not 0: does not wait, and no rank need wait for it
    std::atomic<std::uint32_t> writing;      // of the first rank's entry: ranks of the host that write now
  };

  // A rank alone: no rank to tell, no rank to wait for.
  HostStatus() = default;
  // `entries` of the ranks of the host, `ranks` their numbers in the model (for messages); own: which is this rank's.
  // Those from `followers` on do what the others tell them: they are named only where no other rank is behind.
  HostStatus(std::vector<Entry*> entries, std::vector<int> ranks, int own, int followers);

  void say_put(std::uint32_t cycle) noexcept;
  // No rank sleeps until these change.
  void say_written(std::uint32_t cycle) noexcept { say(&Entry::written, cycle); }
  void say_met(std::uint32_t meetings) noexcept { say(&Entry::met, meetings); }
  void say_out_of_sync() noexcept;
  // After all ranks have met: all are in sync again, with `cycle` cycles done.
  void restart(std::uint32_t cycle) noexcept;
  // Whether every rank of the host has said so by now. Any thread.
  [[nodiscard]] bool all_put(std::uint32_t cycle) const noexcept;
  // Whether every other rank of the host has: this one is the last.
  [[nodiscard]] bool all_others_put(std::uint32_t cycle) const noexcept;
  // Whether a rank of the host is out of sync. Any thread.
  [[nodiscard]] bool anybody_out_of_sync() const noexcept;
  // Whether a rank of the host has come to a agreement of all ranks that this one has not, without having put a cycle
  // that this one has: they have parted, and it never will. Any thread.
  [[nodiscard]] bool has_diverged(std::uint32_t cycle) const noexcept;
  // Whether every rank of the host has written its tiles of a cycle by now.
  [[nodiscard]] bool all_written(std::uint32_t cycle) const noexcept;
  // Sleeps until a rank of the host that has not said so may have, a tenth of a second at the most. Any thread.
  void sleep_until_put(std::uint32_t cycle) const noexcept;
  // At most `most` ranks of the host write at a time: takes a turn, or says that there is none now. Any thread.
  [[nodiscard]] bool begin_writing(int most) noexcept;
  void end_writing() noexcept;
  // Sleeps until a turn may be free, a tenth of a second at the most. Any thread.
  void sleep_until_turn(int most) const noexcept;
  // The host's ranks that have not come to so many meetings: "3, 5"; "" where all have, or no rank shares memory.
  std::string absent(std::uint32_t meetings) const { return behind(&Entry::met, meetings); }
  // Those that have not put so many cycles, or not written them.
  std::string not_put(std::uint32_t cycle) const { return behind(&Entry::put, cycle); }
  std::string not_written(std::uint32_t cycle) const { return behind(&Entry::written, cycle); }
  // Those that have not come as far as this rank: to its last cycle, or else to its last agreement; not who, on the way
  // to that agreement, waits for another's pieces as this rank does. Any thread.
  std::string behind() const;

 private:
  using Word = std::atomic<std::uint32_t> Entry::*;
  void say(Word word, std::uint32_t value) noexcept;
  void wake_up(Word word, std::uint32_t reasons) noexcept;
  std::string behind(Word word, std::uint32_t value) const;

  std::vector<Entry*> entries_;
  std::vector<int> ranks_;
  int own_ = 0;
  int followers_ = 0;
};

// A reduction over ranks that share memory, without messages: each rank leaves its values in its slot, the last one
// computes the largest of all, and wakes the others, which sleep. So waiting ranks do not take processor time from the
// ranks on the same cores, and no rank waits for the end of a timed sleep.

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
