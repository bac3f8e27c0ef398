// SPDX-License-Identifier: Apache-2.0
// The shared status of a host: its ranks exchange their progress through shared memory, without messages and without a
// barrier. Each rank has an entry that only it writes: the last cycle whose pieces it has put in place, the last cycle
// it has finished writing, and whether it is out of sync (one of its calls was refused, so that it cannot do what the
// others do). Others read it, or sleep until it changes.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

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

}  // namespace weir
