// SPDX-License-Identifier: Apache-2.0
#include "mpi/board.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/spelling.hpp"
#include "mpi/futex.hpp"

namespace weir {

namespace {

// Cycles are counted modulo 2^32.
bool reached(std::uint32_t said, std::uint32_t cycle) {
  return static_cast<std::int32_t>(said - cycle) >= 0;
}

// Who sleeps until a cycle is said need not look at those before it.
std::uint32_t reason(std::uint32_t cycle) {
  return std::uint32_t{1} << cycle % 32;
}

}  // namespace

Board::Board(std::vector<Slot*> slots, std::vector<int> ranks, int own, int followers)
    : slots_(std::move(slots)), ranks_(std::move(ranks)), own_(own), followers_(followers) {}

void Board::say(Word word, std::uint32_t value) noexcept {
  if (slots_.empty()) return;
  (slots_[static_cast<std::size_t>(own_)]->*word).store(value, std::memory_order_release);
}

void Board::wake_up(Word word, std::uint32_t reasons) noexcept {
  if (!slots_.empty()) wake_all(slots_[static_cast<std::size_t>(own_)]->*word, reasons);
}

void Board::say_put(std::uint32_t cycle) noexcept {
  say(&Slot::put, cycle);
  wake_up(&Slot::put, reason(cycle));
}

// Whoever sleeps until this rank has put must look again.
void Board::say_lost() noexcept {
  say(&Slot::lost, 1);
  wake_up(&Slot::put, any_reason);
}

void Board::restart(std::uint32_t cycle) noexcept {
  say_put(cycle);
  say(&Slot::written, cycle);
  say(&Slot::lost, 0);
  if (own_ != 0) return;
  say(&Slot::writing, 0);
  wake_up(&Slot::writing, any_reason);
}

bool Board::all_put(std::uint32_t cycle) const noexcept {
  return std::all_of(slots_.begin(), slots_.end(),
                     [&](const Slot* slot) { return reached(slot->put.load(std::memory_order_acquire), cycle); });
}

// A slot's meetings are read before its cycles, and said after them.
bool Board::parted(std::uint32_t cycle) const noexcept {
  if (slots_.empty()) return false;
  const std::uint32_t here = slots_[static_cast<std::size_t>(own_)]->met.load(std::memory_order_relaxed);
  return std::any_of(slots_.begin(), slots_.end(), [&](const Slot* slot) {
    return !reached(here, slot->met.load(std::memory_order_acquire)) &&
           !reached(slot->put.load(std::memory_order_acquire), cycle);
  });
}

bool Board::all_written(std::uint32_t cycle) const noexcept {
  return std::all_of(slots_.begin(), slots_.end(),
                     [&](const Slot* slot) { return reached(slot->written.load(std::memory_order_acquire), cycle); });
}

bool Board::all_others_put(std::uint32_t cycle) const noexcept {
  for (std::size_t i = 0; i < slots_.size(); ++i)
    if (static_cast<int>(i) != own_ && !reached(slots_[i]->put.load(std::memory_order_acquire), cycle)) return false;
  return true;
}

bool Board::anybody_lost() const noexcept {
  return std::any_of(slots_.begin(), slots_.end(),
                     [](const Slot* slot) { return slot->lost.load(std::memory_order_acquire) != 0; });
}

void Board::sleep_until_put(std::uint32_t cycle) const noexcept {
  for (Slot* slot : slots_) {
    const std::uint32_t said = slot->put.load(std::memory_order_acquire);
    if (!reached(said, cycle)) return sleep_while(slot->put, said, reason(cycle));
  }
}

bool Board::begin_writing(int most) noexcept {
  if (slots_.empty()) return true;
  std::atomic<std::uint32_t>& writing = slots_[0]->writing;
  std::uint32_t now = writing.load(std::memory_order_relaxed);
  while (now < static_cast<std::uint32_t>(most))
    if (writing.compare_exchange_weak(now, now + 1, std::memory_order_acquire)) return true;
  return false;
}

void Board::end_writing() noexcept {
  if (slots_.empty()) return;
  slots_[0]->writing.fetch_sub(1, std::memory_order_release);
  wake_one(slots_[0]->writing);
}

void Board::sleep_until_turn(int most) const noexcept {
  if (!slots_.empty()) sleep_while(slots_[0]->writing, static_cast<std::uint32_t>(most));
}

std::string Board::behind() const {
  if (slots_.empty()) return "";
  const Slot& here = *slots_[static_cast<std::size_t>(own_)];
  const std::string late = absent(here.met.load());
  return late.empty() ? not_put(here.put.load()) : late;
}

std::string Board::behind(Word word, std::uint32_t value) const {
  std::vector<int> leading, following;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (reached((slots_[i]->*word).load(), value)) continue;
    (ranks_[i] < followers_ ? leading : following).push_back(ranks_[i]);
  }
  return join_numbers(leading.empty() ? following : leading);
}

}  // namespace weir
