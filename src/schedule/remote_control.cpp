// SPDX-License-Identifier: Apache-2.0
#include "schedule/remote_control.hpp"

#include <algorithm>
#include <utility>

namespace weir {

void ControlLink::take_slots(std::span<const std::int64_t> words, SharedSlots& slots) {
  if (!slots) slots = std::make_shared<std::vector<Slot>>();
  slots->clear();
  slots->reserve(words.size() / 2);
  for (std::size_t i = 5; i + 1 < words.size(); i += 2)
    slots->push_back({static_cast<int>(words[i]), static_cast<int>(words[i + 1])});
}

RemoteControl::RemoteControl(ControlLink& link, const Machine& machine, int rank) : link_(link), rank_(rank) {
  if (rank != 0) return;
  std::vector<std::int64_t> words(machine.host_of.begin(), machine.host_of.end());
  words.insert(words.begin(), {start_word, epoch_});
  say(words);
}

void RemoteControl::offer(std::int64_t unit, int slots, std::int64_t series) {
  const std::int64_t words[] = {offer_word, epoch_, unit, slots, series};
  say(words);
}

std::span<const Slot> RemoteControl::slots(std::int64_t unit) {
  listen();
  const Known* known = find(unit);
  return known && known->has_slots ? std::span<const Slot>(*known->slots) : std::span<const Slot>();
}

std::optional<int> RemoteControl::relay(std::int64_t unit) {
  const Known* known = find(unit);
  return known ? known->relay : std::nullopt;
}

void RemoteControl::forget_up_to(std::int64_t unit) {
  for (Known& known : known_)
    if (known.unit <= unit) known.unit = nothing;
}

// A thread other than the rank's own may not send.
bool RemoteControl::thread_safe() const noexcept {
  return false;
}

void RemoteControl::release(std::int64_t unit) {
  if (rank_ == 0) say(release_word, unit);
  released_ = std::max(released_, unit);
}

std::int64_t RemoteControl::released() {
  listen();
  return released_;
}

void RemoteControl::end(std::int64_t unit) {
  ++epoch_;
  if (rank_ == 0) say(restart_word, unit);
}

void RemoteControl::restart(std::int64_t unit) {
  for (Known& known : known_) known.unit = nothing;
  released_ = unit;
}

void RemoteControl::say(ControlWord word, std::int64_t unit, std::int64_t value) {
  const std::int64_t words[] = {word, epoch_, unit, value};
  say(words);
}

void RemoteControl::say(std::span<const std::int64_t> words) {
  link_.say(words);
  ++messages_;
}

bool RemoteControl::listen() {
  for (;;) {
    const std::span<const std::int64_t> words = link_.hear();
    if (words.empty()) return false;
    if (words[0] == farewell_word) return true;
    if (words[1] == epoch_) understand(words);
  }
}

void RemoteControl::understand(std::span<const std::int64_t> words) {
  const std::int64_t unit = words[2];
  released_ = std::max(released_, words[3]);
  if (words[0] == relay_word) known_of(unit).relay = static_cast<int>(words[4]);
  if (words[0] != assigned_word) return;
  Known& known = known_of(unit);
  known.relayed = static_cast<int>(words[4]);
  link_.take_slots(words, known.slots);
  known.has_slots = true;
}

RemoteControl::Known* RemoteControl::find(std::int64_t unit) noexcept {
  const auto found = std::find_if(known_.begin(), known_.end(), [&](const Known& known) { return known.unit == unit; });
  return found == known_.end() ? nullptr : &*found;
}

// Makes it if it is not there, in the memory of a forgotten one.
RemoteControl::Known& RemoteControl::known_of(std::int64_t unit) {
  if (Known* known = find(unit)) return *known;
  Known* known = find(nothing);
  if (!known) known = &known_.emplace_back();
  known->unit = unit;
  known->relay.reset();
  known->relayed = 0;
  known->has_slots = false;
  return *known;
}

void ControlRank::say_farewell(int ranks) {
  said_.assign({farewell_word});
  for (int rank = 0; rank < ranks; ++rank) send(rank);
}

void ControlRank::hear(int source, std::span<const std::int64_t> words) {
  if (words[0] == start_word) return start(words);
  if (words[0] == restart_word) return begin(words[1], words[2]);
  if (words[1] < epoch_) return;
  // Of an epoch that rank 0 has not sent yet.
  if (words[1] > epoch_) return early_.push_back({source, {words.begin(), words.end()}});
  const std::int64_t unit = words[2] - first_;
  // A unit that is assigned is answered from here: a rank that holds nothing of it may ask when it has long been
  // written.
  if (words[0] == offer_word && assigned_.contains(unit)) return send_assigned(source, unit);
  if (words[0] == offer_word) {
    waiting_.push_back({unit, source});
    scheduler_->offer(source, unit, static_cast<int>(words[3]), words[4]);
  }
  if (words[0] == written_word) scheduler_->written(source, unit, static_cast<int>(words[3]));
  if (words[0] == release_word) scheduler_->release(unit);
  answer();
}

void ControlRank::start(std::span<const std::int64_t> words) {
  machine_ = Machine::from_leaders(std::vector<int>(words.begin() + 2, words.end()));
  begin(words[1], 0);
}

void ControlRank::begin(std::int64_t epoch, std::int64_t unit) {
  epoch_ = epoch;
  first_ = unit + 1;
  next_announced_ = 0;
  waiting_.clear();
  assigned_.clear();
  relayed_.clear();
  scheduler_ = std::make_unique<Scheduler>(machine_, how_);
  for (const Early& early : std::exchange(early_, {})) hear(early.source, early.words);
}

// Sends what the last event has decided to the ranks that wait for it.
void ControlRank::answer() {
  for (const Decision& decision : scheduler_->decisions()) {
    if (decision.kind == Decision::Kind::relay) send_relay(decision);
    if (decision.kind == Decision::Kind::assigned && !assigned_.contains(decision.unit)) answer_waiting(decision.unit);
    if (decision.kind == Decision::Kind::released) announce_release(decision.unit);
  }
}

// The relay needs to know how many ranks send to it. That number goes to it with the slots, since no rank gets a relay
// after those.
void ControlRank::send_relay(const Decision& decision) {
  said_.assign({relay_word, epoch_, decision.unit + first_, scheduler_->released() + first_, decision.to});
  send(decision.rank);
  if (decision.to != decision.rank) ++relayed_[decision.unit][decision.to];
}

void ControlRank::answer_waiting(std::int64_t unit) {
  Assigned& assigned = assigned_[unit] = {{assigned_word, epoch_, unit + first_, 0, 0}, std::move(relayed_[unit]), 0};
  for (const Slot& slot : *scheduler_->slots(unit))
    assigned.words.insert(assigned.words.end(), {slot.rank, slot.tile_buffer});
  relayed_.erase(unit);
  std::erase_if(waiting_, [&](const Waiting& each) {
    if (each.unit == unit) send_assigned(each.rank, unit);
    return each.unit == unit;
  });
}

// Every rank asks once.
void ControlRank::send_assigned(int rank, std::int64_t unit) {
  const auto known = assigned_.find(unit);
  std::vector<std::int64_t>& words = known->second.words;
  const auto relayed = known->second.relayed.find(rank);
  words[3] = scheduler_->released() + first_;
  words[4] = relayed == known->second.relayed.end() ? 0 : relayed->second;
  answers_.say(words, rank);
  if (++known->second.answered == machine_.ranks()) assigned_.erase(known);
}

void ControlRank::announce_release(std::int64_t last) {
  for (; next_announced_ <= last; ++next_announced_) {
    const std::vector<Slot>* slots = scheduler_->slots(next_announced_);
    said_.assign({released_word, epoch_, next_announced_ + first_, scheduler_->released() + first_});
    for (std::size_t i = 0; slots && i < slots->size(); ++i) send((*slots)[i].rank);
  }
}

}  // namespace weir
