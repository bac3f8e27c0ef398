// SPDX-License-Identifier: Apache-2.0
// The shared status of a host (HostStatus), and reductions in shared memory (HostReduction): ranks of a host exchange
// progress without messages and without a barrier. The memory is engine/staging.hpp's.
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

// Each rank has an entry: the last cycle whose pieces it has put in place, the last cycle that it has finished writing,
// its agreements, and whether it is out of sync. Only the rank writes its entry, except `writing` of the first entry,
// which all ranks write. Others read it, or sleep until it changes. Local, no MPI.
// Thread: methods that change the entry: the thread of the rank's calls, except say_written() (one thread at a time),
// begin_writing() and end_writing() (any). The others: any.
class HostStatus {
 public:
  // One cache line, zeroed, at the beginning of each rank's shared segment.
  struct alignas(64) Entry {
    std::atomic<std::uint32_t> put;          // cycles whose pieces are in place
    std::atomic<std::uint32_t> written;      // cycles whose tiles are written
    std::atomic<std::uint32_t> met;          // agreements of all ranks that this rank has come to
    std::atomic<std::uint32_t> out_of_sync;  // not 0: the rank does not wait, and no rank need wait for it
    std::atomic<std::uint32_t> writing;      // in the first rank's entry, for all ranks: how many of them are writing
  };

  // For a rank that shares no memory.
  HostStatus() = default;
  // `entries`: of the ranks of the host. `ranks`: their numbers in the model, for messages. `own`: this rank's index.
  // Ranks from `followers` on only follow the others (servers); messages name them only if no other rank is late.
  HostStatus(std::vector<Entry*> entries, std::vector<int> ranks, int own, int followers);

  // Publishes progress of this rank, and wakes the ranks that wait for it. Ranks do not sleep for say_written() and
  // say_met().
  void say_put(std::uint32_t cycle) noexcept;
  void say_written(std::uint32_t cycle) noexcept { say(&Entry::written, cycle); }
  void say_met(std::uint32_t meetings) noexcept { say(&Entry::met, meetings); }
  void say_out_of_sync() noexcept;
  // Resets this rank's entry after all ranks have agreed: all are in sync, with `cycle` cycles done.
  void restart(std::uint32_t cycle) noexcept;
  // Whether every rank of the host has published this cycle.
  [[nodiscard]] bool all_put(std::uint32_t cycle) const noexcept;
  // Whether every other rank of the host has published this cycle, so that this rank is the last.
  [[nodiscard]] bool all_others_put(std::uint32_t cycle) const noexcept;
  // Whether a rank of the host is out of sync.
  [[nodiscard]] bool anybody_out_of_sync() const noexcept;
  // True if a rank of the host is at a later agreement than this rank and has not put this cycle. It will then never
  // put it.
  [[nodiscard]] bool has_diverged(std::uint32_t cycle) const noexcept;
  // Whether every rank of the host has written its tiles of this cycle.
  [[nodiscard]] bool all_written(std::uint32_t cycle) const noexcept;
  // Sleeps until a rank of the host that has not put this cycle may have, at most a tenth of a second.
  void sleep_until_put(std::uint32_t cycle) const noexcept;
  // Takes a turn to write, if fewer than `most` ranks of the host write; else returns false. end_writing() gives it
  // back.
  [[nodiscard]] bool begin_writing(int most) noexcept;
  void end_writing() noexcept;
  // Sleeps until a turn may be free, at most a tenth of a second.
  void sleep_until_turn(int most) const noexcept;
  // Return the ranks of the host that have not come to so many agreements, not put a cycle, or not written it: "3, 5".
  // "" if there are none, or memory is not shared.
  std::string absent(std::uint32_t meetings) const { return behind(&Entry::met, meetings); }
  std::string not_put(std::uint32_t cycle) const { return behind(&Entry::put, cycle); }
  std::string not_written(std::uint32_t cycle) const { return behind(&Entry::written, cycle); }
  // Returns the ranks that are behind this rank: that have not put its last cycle, else not come to its last agreement.
  // Leaves out ranks that, on the way to that agreement, wait for pieces as this rank does.
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

// Ends a wait for other ranks: throws Error(WEIR_ETIMEOUT) with `what`.
[[noreturn]] void give_up(std::string_view what, const Deadline& deadline);

// A reduction over ranks that share memory, without messages. Each rank stores its values in its slot; the last one
// computes the maximum and wakes the others, which sleep. So waiting ranks take no processor time from ranks on the
// same cores, and none waits for the end of a timed sleep.
class HostReduction {
 public:
  static constexpr std::size_t most_values = 24;
  // Zeroed, in each rank's shared segment. Only its rank writes the values; the first rank's slot has the rest.
  struct alignas(64) Slot {
    std::int64_t values[most_values];
    std::int64_t largest[most_values];    // result of the last reduction
    std::atomic<std::uint32_t> come;      // ranks that have come to the current reduction
    std::atomic<std::uint32_t> finished;  // reductions that are over; waiting ranks sleep on it
  };

  // For ranks that do not all share memory: takes() is false.
  HostReduction() = default;
  // `slots`: of all ranks; `own`: this rank's index. `look`: called again and again while this rank waits.
  HostReduction(std::vector<Slot*> slots, int own, std::function<void()> look)
      : slots_(std::move(slots)), own_(static_cast<std::size_t>(own)), look_(std::move(look)) {}

  // Whether a reduction of so many values is possible here.
  bool takes(std::size_t values) const noexcept { return !slots_.empty() && values <= most_values; }
  // Replaces each value by its maximum over all ranks.
  // Collective over the ranks of the slots; a barrier.
  // Errors: WEIR_ETIMEOUT if a rank does not come; there must be no further reduction.
  void max(std::span<std::int64_t> values, const Deadline& deadline, std::string_view what);

 private:
  void conclude(std::size_t values) noexcept;
  void wait(const Deadline& deadline, std::string_view what) const;

  std::vector<Slot*> slots_;
  std::size_t own_ = 0;
  std::function<void()> look_;
  std::uint32_t meetings_ = 0;  // reductions that this rank has come to
};

}  // namespace weir
