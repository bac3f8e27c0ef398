// SPDX-License-Identifier: Apache-2.0
#include "mpi/host_status.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "base/text.hpp"
#include "mpi/futex.hpp"

namespace weir {

namespace {

bool reached(std::uint32_t said, std::uint32_t cycle) {
  return !later(cycle, said);
}

// Who sleeps until a cycle is said need not look at those before it.
std::uint32_t reason(std::uint32_t cycle) {
  return std::uint32_t{1} << cycle % 32;
}

// Bit n of the wake mask wakes sleepers that may write when n ranks are writing; the last bit stands for all larger n.
constexpr std::uint32_t numbers_with_a_bit = 31;
std::uint32_t reasons_of_turn(std::uint32_t most) {
  const std::uint32_t bits = (std::uint32_t{1} << std::min(most, numbers_with_a_bit)) - 1;
  return most > numbers_with_a_bit ? bits | std::uint32_t{1} << numbers_with_a_bit : bits;
}

// One of those that may write while so many do.
void wake_who_may(std::atomic<std::uint32_t>& writing, std::uint32_t now) {
  if (now < numbers_with_a_bit)
    wake_one(writing, std::uint32_t{1} << now);
  else
    wake_all(writing, std::uint32_t{1} << numbers_with_a_bit);
}

}  // namespace

HostStatus::HostStatus(std::vector<Entry*> entries, std::vector<int> ranks, int own, int followers)
    : entries_(std::move(entries)), ranks_(std::move(ranks)), own_(own), followers_(followers) {}

void HostStatus::say(Word word, std::uint32_t value) noexcept {
  if (entries_.empty()) return;
  (entries_[static_cast<std::size_t>(own_)]->*word).store(value, std::memory_order_release);
}

void HostStatus::wake_up(Word word, std::uint32_t reasons) noexcept {
  if (!entries_.empty()) wake_all(entries_[static_cast<std::size_t>(own_)]->*word, reasons);
}

void HostStatus::say_put(std::uint32_t cycle) noexcept {
  say(&Entry::put, cycle);
  wake_up(&Entry::put, reason(cycle));
}

// The rank that sleeps until this rank has put must look again.
void HostStatus::say_out_of_sync() noexcept {
  say(&Entry::out_of_sync, 1);
  wake_up(&Entry::put, any_reason);
}

void HostStatus::restart(std::uint32_t cycle) noexcept {
  say_put(cycle);
  say(&Entry::written, cycle);
  say(&Entry::out_of_sync, 0);
  if (own_ != 0) return;
  say(&Entry::writing, 0);
  wake_up(&Entry::writing, any_reason);
}

bool HostStatus::all_put(std::uint32_t cycle) const noexcept {
  return std::all_of(entries_.begin(), entries_.end(),
                     [&](const Entry* entry) { return reached(entry->put.load(std::memory_order_acquire), cycle); });
}

// An entry's agreements are read before its cycles, and published after them.
bool HostStatus::has_diverged(std::uint32_t cycle) const noexcept {
  if (entries_.empty()) return false;
  const std::uint32_t here = entries_[static_cast<std::size_t>(own_)]->met.load(std::memory_order_relaxed);
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry* entry) {
    return !reached(here, entry->met.load(std::memory_order_acquire)) &&
           !reached(entry->put.load(std::memory_order_acquire), cycle);
  });
}

bool HostStatus::all_written(std::uint32_t cycle) const noexcept {
  return std::all_of(entries_.begin(), entries_.end(), [&](const Entry* entry) {
    return reached(entry->written.load(std::memory_order_acquire), cycle);
  });
}

bool HostStatus::all_others_put(std::uint32_t cycle) const noexcept {
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (static_cast<int>(i) != own_ && !reached(entries_[i]->put.load(std::memory_order_acquire), cycle)) return false;
  return true;
}

bool HostStatus::anybody_out_of_sync() const noexcept {
  return std::any_of(entries_.begin(), entries_.end(),
                     [](const Entry* entry) { return entry->out_of_sync.load(std::memory_order_acquire) != 0; });
}

void HostStatus::sleep_until_put(std::uint32_t cycle) const noexcept {
  for (Entry* entry : entries_) {
    const std::uint32_t said = entry->put.load(std::memory_order_acquire);
    if (!reached(said, cycle)) return sleep_while(entry->put, said, reason(cycle));
  }
}

bool HostStatus::begin_writing(int most) noexcept {
  if (entries_.empty()) return true;
  std::atomic<std::uint32_t>& writing = entries_[0]->writing;
  std::uint32_t now = writing.load(std::memory_order_relaxed);
  while (now < static_cast<std::uint32_t>(most))
    if (writing.compare_exchange_weak(now, now + 1, std::memory_order_acquire)) return true;
  return false;
}

void HostStatus::end_writing() noexcept {
  if (entries_.empty()) return;
  std::atomic<std::uint32_t>& writing = entries_[0]->writing;
  const std::uint32_t left = writing.fetch_sub(1, std::memory_order_release) - 1;
  wake_who_may(writing, left);
}

// The end of a turn wakes one sleeper. That may be this rank, which cannot write because others have taken turns since,
// while a sleeper whose file allows more writers could: so this rank passes the wake-up on before it sleeps again. With
// 31 writers or more it does not: the end of a turn then wakes all sleepers, and two that may not write would wake each
// other for ever.
void HostStatus::sleep_until_turn(int most) const noexcept {
  if (entries_.empty()) return;
  std::atomic<std::uint32_t>& writing = entries_[0]->writing;
  const auto limit = static_cast<std::uint32_t>(most);
  const std::uint32_t now = writing.load(std::memory_order_relaxed);
  if (now < limit) return;
  if (now < numbers_with_a_bit) wake_who_may(writing, now);
  sleep_while(writing, now, reasons_of_turn(limit));
}

std::string HostStatus::behind() const {
  if (entries_.empty()) return "";
  const Entry& here = *entries_[static_cast<std::size_t>(own_)];
  const std::string late = not_put(here.put.load());
  return late.empty() ? absent(here.met.load()) : late;
}

std::string HostStatus::behind(Word word, std::uint32_t value) const {
  std::vector<int> leading, following;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (reached((entries_[i]->*word).load(), value)) continue;
    (ranks_[i] < followers_ ? leading : following).push_back(ranks_[i]);
  }
  return join_numbers(leading.empty() ? following : leading);
}

void give_up(std::string_view what, const Deadline& deadline) {
  throw Error(WEIR_ETIMEOUT, "{}: a rank did not reach this call within {:f} s", what, deadline.seconds());
}

// No rank writes what another may still read: who leaves values has read the last meeting's largest, and that agreement
// was over when all had left theirs.
void HostReduction::max(std::span<std::int64_t> values, const Deadline& deadline, std::string_view what) {
  Slot& first = *slots_.front();
  std::copy(values.begin(), values.end(), slots_[own_]->values);
  ++meetings_;
  if (first.come.fetch_add(1, std::memory_order_acq_rel) + 1 == slots_.size())
    conclude(values.size());
  else
    wait(deadline, what);
  std::copy_n(first.largest, values.size(), values.begin());
}

void HostReduction::conclude(std::size_t values) noexcept {
  Slot& first = *slots_.front();
  std::copy_n(first.values, values, first.largest);
  for (const Slot* slot : slots_)
    for (std::size_t i = 0; i < values; ++i) first.largest[i] = std::max(first.largest[i], slot->values[i]);
  first.come.store(0, std::memory_order_relaxed);
  first.finished.store(meetings_, std::memory_order_release);
  wake_all(first.finished);
}

void HostReduction::wait(const Deadline& deadline, std::string_view what) const {
  std::atomic<std::uint32_t>& finished = slots_.front()->finished;
  for (Backoff backoff; finished.load(std::memory_order_acquire) != meetings_;) {
    look_();
    if (deadline.passed()) give_up(what, deadline);
    backoff.pause(Backoff::longest_sleep,
                  [&](int microseconds) { sleep_while(finished, meetings_ - 1, any_reason, microseconds); });
  }
}

}  // namespace weir
