// SPDX-License-Identifier: Apache-2.0
#include "schedule/remote_control.hpp"

#include <algorithm>

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

std::span<const Slot> RemoteControl::slots(std::int64_t unit) {
  listen();
  const Known* known = find(unit);
  return known && known->has_slots ? std::span<const Slot>(*known->slots) : std::span<const Slot>();
}

std::optional<int> RemoteControl::relay(std::int64_t unit) {
  const Known* known = find(unit);
  return known ? known->relay : std::nullopt;
}

void RemoteControl::settled(std::int64_t unit) {
  for (Known& known : known_)
    if (known.unit <= unit) known.unit = nothing;
}

// A thread other than the rank's own may not send.
bool RemoteControl::from_thread() const noexcept {
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

// Made where it is not there, in the memory of one that is settled.
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

}  // namespace weir
