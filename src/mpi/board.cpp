// SPDX-License-Identifier: Apache-2.0
#include "mpi/board.hpp"

#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>
#endif

#include <string>
#include <utility>

#include "base/error.hpp"

namespace weir {

namespace {

// Cycles are counted modulo 2^32.
bool reached(std::uint32_t said, std::uint32_t cycle) {
  return static_cast<std::int32_t>(said - cycle) >= 0;
}

#ifdef __linux__
// Sleeps while the word has this value, at most a tenth of a second, so that deadlines are looked at.
void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value) {
  const timespec longest{0, 100'000'000};
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT, value, &longest, nullptr, 0);
}

void wake_all(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}
#else
void sleep_while(std::atomic<std::uint32_t>&, std::uint32_t) {
  std::this_thread::sleep_for(std::chrono::microseconds(100));
}
void wake_all(std::atomic<std::uint32_t>&) {}
#endif

}  // namespace

Board::Board(std::vector<Slot*> slots, std::vector<int> ranks, int own)
    : slots_(std::move(slots)), ranks_(std::move(ranks)), own_(own) {}

void Board::say(Word word, std::uint32_t value) noexcept {
  if (slots_.empty()) return;
  std::atomic<std::uint32_t>& mine = slots_[static_cast<std::size_t>(own_)]->*word;
  mine.store(value, std::memory_order_release);
  wake_all(mine);
}

// Whoever sleeps on one of this rank's words must look again.
void Board::say_lost() noexcept {
  say(&Slot::lost, 1);
  if (slots_.empty()) return;
  wake_all(slots_[static_cast<std::size_t>(own_)]->put);
  wake_all(slots_[static_cast<std::size_t>(own_)]->written);
}

void Board::restart(std::uint32_t cycle) noexcept {
  say(&Slot::put, cycle);
  say(&Slot::written, cycle);
  say(&Slot::lost, 0);
}

bool Board::await(Word word, std::uint32_t cycle, const Deadline& deadline) const {
  for (Slot* slot : slots_)
    for (int looks = 0;; ++looks) {
      const std::uint32_t said = (slot->*word).load(std::memory_order_acquire);
      if (reached(said, cycle)) break;
      if (slot->lost.load(std::memory_order_acquire) != 0) return false;
      if (deadline.passed()) give_up(word, cycle, deadline);
      if (looks < 4)
        std::this_thread::yield();
      else
        sleep_while(slot->*word, said);
    }
  return true;
}

std::string Board::behind(Word word, std::uint32_t value) const {
  std::string missing;
  for (std::size_t i = 0; i < slots_.size(); ++i)
    if (!reached((slots_[i]->*word).load(), value))
      missing += (missing.empty() ? "" : ", ") + std::to_string(ranks_[i]);
  return missing;
}

void Board::give_up(Word word, std::uint32_t cycle, const Deadline& deadline) const {
  throw Error(WEIR_ETIMEOUT, "rank(s) " + behind(word, cycle) + " of this host did not come to the flush of cycle " +
                                 std::to_string(cycle) + " within " + std::to_string(deadline.seconds()) + " s");
}

}  // namespace weir
