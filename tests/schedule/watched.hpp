// SPDX-License-Identifier: Apache-2.0
// A scheduler whose every decision is held against the rules of scheduler.hpp, from what can be seen outside of it. A
// broken rule is a std::logic_error that says which. Where it cannot be seen whether a rule was kept (the slots of a
// unit that is not assigned are not shown), it is not judged.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "holdings.hpp"

namespace weir::watched {

struct Event {
  enum class Kind { offer, written, release } kind;
  std::int64_t unit;
  int rank = -1;
  int number = 0;  // of slots, or of the place
  std::int64_t series = 0;
};

inline void tell(Scheduler& scheduler, const Event& event) {
  if (event.kind == Event::Kind::offer)
    scheduler.offer(event.rank, event.unit, event.number, event.series);
  else if (event.kind == Event::Kind::written)
    scheduler.written(event.rank, event.unit, event.number);
  else
    scheduler.release(event.unit);
}

class Watched {
 public:
  // `slots`, `series`: of each unit; no series: of none.
  Watched(const Machine& machine, const ScheduleParameters& parameters, const std::vector<int>& slots,
          const std::vector<std::int64_t>& series)
      : machine_(machine),
        parameters_(parameters),
        scheduler_(machine, parameters),
        holdings_(machine.ranks(), parameters.tiles_per_rank),
        units_(slots.size()) {
    for (std::size_t unit = 0; unit < slots.size(); ++unit) {
      units_[unit].wanted = slots[unit];
      if (!series.empty()) units_[unit].series = series[unit];
    }
  }

  void offer(int rank, std::int64_t unit) {
    Unit& offered = units_[as_size(unit)];
    if (offered.offers.empty() && !offered.assigned) {
      open_.push_back(unit);
      offered.holders = holders_of(offered);
    }
    offered.offers.push_back(rank);
    if (!offered.assigned) offered.waiting.push_back(rank);
    carry_out({Event::Kind::offer, unit, rank, offered.wanted, offered.series});
  }
  void written(int rank, std::int64_t unit, int place) {
    holdings_.leave(rank, place);
    --units_[as_size(unit)].left;
    carry_out({Event::Kind::written, unit, rank, place});
  }
  void release(std::int64_t unit) { carry_out({Event::Kind::release, unit}); }

  bool assigned(std::int64_t unit) const { return units_[as_size(unit)].assigned; }
  std::int64_t released() const { return scheduler_.released(); }
  // Who was answered by the last event, and about which unit.
  const std::vector<std::pair<int, std::int64_t>>& answered() const { return answered_; }
  // The unit in a place of a rank; -1: it is free.
  std::int64_t unit_in(int rank, int place) const { return holdings_.unit_in(rank, place); }
  const std::vector<Event>& events() const { return events_; }
  const std::vector<Decision>& decisions() const { return decisions_; }
  int judged() const { return judged_; }  // assigned units of which it could be seen that groups were kept

 private:
  struct Unit {
    int wanted = 0;
    int left = 0;  // slots not written
    std::int64_t series = 0;
    bool assigned = false, waited = false;
    std::vector<int> offers, waiting;
    std::vector<int> relays;   // to whom
    std::vector<int> holders;  // by slot: of the first unit of its series, if it was assigned before this one came
  };

  std::vector<int> holders_of(const Unit& unit) const {
    const auto known = holders_.find(unit.series);
    const bool is_known = known != holders_.end() && static_cast<int>(known->second.size()) == unit.wanted;
    return is_known ? known->second : std::vector<int>();
  }
  bool is_of_series(const Unit& unit) const { return parameters_.choose == ChooseKind::recent && unit.series != 0; }

  // A group ends, so that the holders of its series may write.
  bool may_wait_for_holders(const Unit& unit) const { return parameters_.waits_for_holders && is_of_series(unit); }
  bool all_have_offered(const Unit& unit) const { return static_cast<int>(unit.offers.size()) == machine_.ranks(); }

  void carry_out(const Event& event) {
    events_.push_back(event);
    answered_.clear();
    if (event.kind == Event::Kind::offer && may_wait_for_holders(units_[as_size(event.unit)])) blurred_ = true;
    tell(scheduler_, event);
    for (const Decision& decision : scheduler_.decisions()) {
      decisions_.push_back(decision);
      if (decision.kind == Decision::Kind::assigned)
        decision.rank < 0 ? on_assigned(decision.unit) : on_asked_late(event, decision);
      else if (decision.kind == Decision::Kind::relay)
        on_relay(decision);
      else
        on_released(event, decision.unit);
    }
    after_event(event);
  }

  void on_asked_late(const Event& event, const Decision& decision) {
    const Unit& unit = units_[as_size(decision.unit)];
    expect(unit.assigned && event.unit == decision.unit && event.rank == decision.rank && unit.waiting.empty(),
           "an answer to nobody's question", decision.unit, decision.rank);
    answered_.emplace_back(decision.rank, decision.unit);
  }

  void on_relay(const Decision& decision) {
    Unit& unit = units_[as_size(decision.unit)];
    expect(parameters_.hops == HopKind::two && !unit.assigned, "a relay where none is wanted", decision.unit);
    const auto asked = std::find(unit.waiting.begin(), unit.waiting.end(), decision.rank);
    expect(asked != unit.waiting.end(), "a relay for one that did not ask", decision.unit, decision.rank);
    unit.waiting.erase(asked);
    unit.relays.push_back(decision.to);
    answered_.emplace_back(decision.rank, decision.unit);
  }

  void on_assigned(std::int64_t number) {
    Unit& unit = units_[as_size(number)];
    expect(!unit.assigned, "assigned a second time", number);
    unit.assigned = true;
    std::erase(open_, number);
    if (number > last_released_) unreleased_.push_back(number);
    ++assigned_in_group_;
    for (const int rank : unit.waiting) answered_.emplace_back(rank, number);
    unit.waiting.clear();
    const std::vector<Slot>* slots = scheduler_.slots(number);
    expect(slots != nullptr && static_cast<int>(slots->size()) == unit.wanted, "assigned without its slots", number);
    unit.left = unit.wanted;
    judge(number, unit, *slots);
  }

  void judge(std::int64_t number, const Unit& unit, const std::vector<Slot>& slots) {
    std::vector<int> ranks, offers = unit.offers;
    bool twice = false;
    std::vector<int> on_node(as_size(machine_.hosts()), 0);
    for (const Slot& slot : slots) {
      judge_holder(number, unit, ranks.size(), slot.rank);
      ranks.push_back(slot.rank);
      ++on_node[as_size(machine_.host_of[as_size(slot.rank)])];
      twice = twice || holdings_.in_use(slot.rank);
      holdings_.take(number, slot);
    }
    if (is_of_series(unit)) holders_.try_emplace(unit.series, ranks);
    std::ranges::sort(ranks);
    std::ranges::sort(offers);
    if (parameters_.choose == ChooseKind::arrival)
      expect(std::ranges::all_of(ranks, [&](int r) { return std::ranges::binary_search(offers, r); }),
             "a slot for a rank that has not come", number);
    for (const int to : unit.relays)
      expect(std::ranges::binary_search(ranks, to), "a relay without a slot", number, to);

    const int limit = node_limit(unit.wanted);
    const bool crowded = std::ranges::any_of(on_node, [&](int count) { return count > limit; });
    if (parameters_.choose == ChooseKind::arrival) {
      expect(!crowded || all_have_offered(unit), "a node has too many slots", number);
      if (!blurred_) expect(!twice || holdings_.able() == 0 || all_have_offered(unit), "two slots in a group", number);
    } else if (!unit.waited) {
      const bool in_series = is_of_series(unit);
      if (!in_series) expect(!crowded || !could_assign(on_node, limit, false), "a node has too many slots", number);
      if (!blurred_ && !in_series)
        expect(!twice || !could_assign(on_node, limit, true), "two slots in a group", number);
    }
    judged_ += blurred_ ? 0 : 1;
    blurred_ = blurred_ || holdings_.able() == 0;  // a group may have ended between two of the slots
  }

  // The later units of a series go to the ranks of the first, slot by slot. Another one stands in only where the holder
  // has no room, as far as can be seen: a unit that waits may have got a slot before, and open units have some.
  void judge_holder(std::int64_t number, const Unit& unit, std::size_t slot, int rank) const {
    if (unit.holders.empty() || rank == unit.holders[slot]) return;
    expect(!parameters_.waits_for_holders, "another rank than the holder of its series", number, rank);
    expect(unit.waited || !open_.empty() || !holdings_.has_room(unit.holders[slot]),
           "another rank than the holder of its series, which has room", number, rank);
  }

  // Whether there is a rank with room (that is not in use) on a node with less than `limit` slots.
  bool could_assign(const std::vector<int>& on_node, int limit, bool unused) const {
    for (int rank = 0; rank < machine_.ranks(); ++rank)
      if (holdings_.has_room(rank) && !(unused && holdings_.in_use(rank)) &&
          on_node[as_size(machine_.host_of[as_size(rank)])] < limit)
        return true;
    return false;
  }

  int node_limit(int wanted) const {
    if (wanted > machine_.ranks()) return wanted;
    for (int limit = parameters_.writers_per_node;; ++limit) {
      int ranks = 0;
      for (const auto& node : machine_.ranks_of) ranks += std::min(limit, static_cast<int>(node.size()));
      if (ranks >= wanted) return limit;
    }
  }

  void on_released(const Event& event, std::int64_t unit) {
    expect(unit > last_released_, "released backwards", unit);
    last_released_ = unit;
    std::erase_if(unreleased_, [&](std::int64_t number) { return number <= unit; });
    if (event.kind == Event::Kind::release && !unreleased_.empty()) return;  // a part: the group goes on
    if (!blurred_ && (event.kind == Event::Kind::written || (event.kind == Event::Kind::offer && !may_be_exhausted())))
      expect(assigned_in_group_ >= parameters_.flush_after, "released too early", unit);
    begin_group();
  }

  // The open units' slots are not shown: they may have used up so many ranks.
  bool may_be_exhausted() const {
    std::int64_t hidden = 0;
    for (const std::int64_t number : open_) hidden += units_[as_size(number)].wanted;
    return holdings_.able() <= hidden;
  }

  void begin_group() {
    assigned_in_group_ = 0;
    holdings_.begin_group();
    blurred_ = !open_.empty();
  }

  // Of units all of which had been released before.
  void end_unseen_group() {
    const bool blurred = blurred_;
    begin_group();
    blurred_ = blurred_ || blurred;
  }

  void after_event(const Event& event) {
    expect(scheduler_.released() == last_released_, "released() differs from what was decided", last_released_);
    if (assigned_in_group_ >= parameters_.flush_after) end_unseen_group();
    expect(static_cast<int>(unreleased_.size()) < parameters_.flush_after, "not released in time", event.unit);
    if (!open_.empty() && may_be_exhausted()) blurred_ = true;
    for (const std::int64_t number : open_) units_[as_size(number)].waited = true;
    if (event.kind == Event::Kind::offer) judge_waiting(event.unit);
    if (event.kind == Event::Kind::written && units_[as_size(event.unit)].left == 0)
      expect(scheduler_.slots(event.unit) == nullptr, "written and not forgotten", event.unit);
  }

  // A unit that could have been assigned now must not wait.
  void judge_waiting(std::int64_t number) const {
    if (open_.size() != 1 || open_[0] != number) return;
    const Unit& unit = units_[as_size(number)];
    if (may_wait_for_holders(unit)) return;
    if (parameters_.choose != ChooseKind::arrival || all_have_offered(unit))
      expect(holdings_.room() < unit.wanted, "waits though there is room", number);
  }

  const Machine& machine_;
  ScheduleParameters parameters_;
  Scheduler scheduler_;
  Holdings holdings_;
  std::vector<Unit> units_;
  std::map<std::int64_t, std::vector<int>> holders_;  // of each series
  std::vector<std::int64_t> open_, unreleased_;
  std::int64_t last_released_ = -1;
  int assigned_in_group_ = 0, judged_ = 0;
  bool blurred_ = false;  // it cannot be seen who is in use in this group
  std::vector<std::pair<int, std::int64_t>> answered_;
  std::vector<Event> events_;
  std::vector<Decision> decisions_;
};

}  // namespace weir::watched
