// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "schedule/remote_control.hpp"

namespace weir {

void ControlRank::say_farewell(int ranks) {
  said_.assign({farewell_word});
  for (int rank = 0; rank < ranks; ++rank) send(rank);
}

void ControlRank::hear(int source, std::span<const std::int64_t> words) {
  if (words[0] == start_word) return start(words);
  if (words[0] == restart_word) return begin(words[1], words[2]);
  if (words[1] < epoch_) return;
  // Of a beginning that rank 0 has not told yet.
  if (words[1] > epoch_) return early_.push_back({source, {words.begin(), words.end()}});
  const std::int64_t unit = words[2] - first_;
  // A unit that is assigned is answered from here: a rank that holds nothing of it may ask when it has long been
  // written.
  if (words[0] == offer_word && assigned_.contains(unit)) return tell_assigned(source, unit);
  if (words[0] == offer_word) {
    waiting_.push_back({unit, source});
    scheduler_->offer(source, unit, static_cast<int>(words[3]));
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
  told_ = 0;
  waiting_.clear();
  assigned_.clear();
  relayed_.clear();
  scheduler_ = std::make_unique<Scheduler>(machine_, how_);
  for (const Early& early : std::exchange(early_, {})) hear(early.source, early.words);
}

// Tells those who wait what the last event has decided.
void ControlRank::answer() {
  for (const Decision& decision : scheduler_->decisions()) {
    if (decision.kind == Decision::Kind::relay) tell_relay(decision);
    if (decision.kind == Decision::Kind::assigned && !assigned_.contains(decision.unit)) tell_waiting(decision.unit);
    if (decision.kind == Decision::Kind::released) tell_holders(decision.unit);
  }
}

// Whose relay it is counts them: it is told how many with the slots, since no rank is told a relay after that.
void ControlRank::tell_relay(const Decision& decision) {
  said_.assign({relay_word, epoch_, decision.unit + first_, scheduler_->released() + first_, decision.to});
  send(decision.rank);
  if (decision.to != decision.rank) ++relayed_[decision.unit][decision.to];
}

void ControlRank::tell_waiting(std::int64_t unit) {
  Assigned& assigned = assigned_[unit] = {{assigned_word, epoch_, unit + first_, 0, 0}, std::move(relayed_[unit]), 0};
  for (const Slot& slot : *scheduler_->slots(unit))
    assigned.words.insert(assigned.words.end(), {slot.rank, slot.tile_buffer});
  relayed_.erase(unit);
  std::erase_if(waiting_, [&](const Waiting& each) {
    if (each.unit == unit) tell_assigned(each.rank, unit);
    return each.unit == unit;
  });
}

// Every rank asks once.
void ControlRank::tell_assigned(int rank, std::int64_t unit) {
  const auto known = assigned_.find(unit);
  std::vector<std::int64_t>& words = known->second.words;
  const auto relayed = known->second.relayed.find(rank);
  words[3] = scheduler_->released() + first_;
  words[4] = relayed == known->second.relayed.end() ? 0 : relayed->second;
  answers_.say(words, rank);
  if (++known->second.told == machine_.ranks()) assigned_.erase(known);
}

void ControlRank::tell_holders(std::int64_t last) {
  for (; told_ <= last; ++told_) {
    const std::vector<Slot>* slots = scheduler_->slots(told_);
    said_.assign({released_word, epoch_, told_ + first_, scheduler_->released() + first_});
    for (std::size_t i = 0; slots && i < slots->size(); ++i) send((*slots)[i].rank);
  }
}

}  // namespace weir
