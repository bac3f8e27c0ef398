// SPDX-License-Identifier: Apache-2.0
#include "schedule/choose.hpp"

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "schedule/roster.hpp"

namespace weir {

bool Choice::node_is_full(const Unit& unit, int rank) const noexcept {
  return unit.assignment->on_host[roster_.host(rank)] >= unit.assignment->node_limit;
}

bool Choice::allowed(const Unit& unit, int rank, Rules rules) const noexcept {
  const bool once_a_group = rules == Rules::all || rules == Rules::any_node;
  const bool spread = rules == Rules::all || rules == Rules::any_group;
  return roster_.has_room(rank) && !(once_a_group && roster_.in_use(rank)) && !(spread && node_is_full(unit, rank));
}

void Choice::enqueue(Unit& unit) {
  waiting_.push_back(&unit);
  missing_ += unit.missing();
}

void Choice::dequeue(Unit& unit) {
  waiting_.erase(std::ranges::find(waiting_, &unit));
  missing_ -= unit.missing();
}

bool Choice::has_surplus(const Unit& unit) const noexcept {
  std::int64_t surplus = roster_.free_tile_buffers();
  if (surplus > missing_) return true;
  for (auto before = waiting_.begin(); *before != &unit && surplus > 0; ++before) surplus -= (*before)->missing();
  return surplus > 0;
}

void Choice::assign(Unit& unit, int rank) {
  --missing_;
  unit.slots.push_back({rank, roster_.take(rank, unit.number)});
  Assignment& assignment = *unit.assignment;
  ++assignment.on_host[roster_.host(rank)];
  changed(rank);
}

namespace {

// The paper's: ranks as they arrive. Only who has offered a unit gets a slot of it.
class Arrival final : public Choice {
 public:
  explicit Arrival(Roster& roster) : Choice(roster) {}

  void offered(Unit& unit, int rank) override { assign_if(unit, rank, Rules::all); }

  void yield(Unit& unit) override {
    if (unit.assignment->arrived.size() < static_cast<std::size_t>(roster_.ranks())) return;
    unit.assignment->yields = true;
    for (const Rules rules : {Rules::all, Rules::any_group, Rules::any_node, Rules::none})
      while (unit.open() && assign_each(unit, rules)) continue;
  }

  void freed(Unit& unit, std::span<const int> ranks) override {
    if (unit.assignment->refused) return ask_again(unit);
    for (const int rank : ranks) {
      if (!unit.open()) return;
      if (roster_.reached(rank) < unit.number) continue;
      // Since the rules yielded, no other rank has had room, and so only these ranks can take a slot.
      assign_if(unit, rank, unit.assignment->yields ? Rules::none : Rules::all);
    }
  }

 private:
  void assign_if(Unit& unit, int rank, Rules rules) {
    if (!allowed(unit, rank, rules)) return;
    if (has_surplus(unit))
      assign(unit, rank);
    else
      unit.assignment->refused = true;
  }

  // Ranks were refused for the sake of units before this one; more tile buffers are free now.
  void ask_again(Unit& unit) {
    if (!has_surplus(unit)) return;
    unit.assignment->refused = false;
    if (unit.assignment->yields) return yield(unit);
    for (const int rank : unit.assignment->arrived)
      if (unit.open()) assign_if(unit, rank, Rules::all);
  }

  bool assign_each(Unit& unit, Rules rules) {
    const std::size_t before = unit.slots.size();
    for (const int rank : unit.assignment->arrived) {
      if (!unit.open()) break;
      assign_if(unit, rank, rules);
    }
    return unit.slots.size() > before;
  }
};

// All slots at the first offer, to the ranks with the largest keys, whether they have offered or not. So a unit that
// waits does so because no rank has room.
class AtOnce : public Choice {
 public:
  explicit AtOnce(Roster& roster) : Choice(roster), able_(roster.machine()), in_use_(roster.machine()) {}

  void offered(Unit& unit, int /*rank*/) override { fill(unit, false); }
  void yield(Unit& unit) override { fill(unit, true); }
  void freed(Unit& unit, std::span<const int> /*ranks*/) override { fill(unit, true); }

  void changed(int rank) override {
    const std::int64_t key = roster_.has_room(rank) ? key_of(rank) : unranked;
    const bool used = roster_.in_use(rank);
    able_.set(rank, used ? unranked : key);
    in_use_.set(rank, used ? key : unranked);
  }

 protected:
  // Of a rank that has room.
  virtual std::int64_t key_of(int rank) const noexcept = 0;

  void rank_all() {
    for (int rank = 0; rank < roster_.ranks(); ++rank) changed(rank);
  }

 private:
  void fill(Unit& unit, bool yielding) {
    if (roster_.free_tile_buffers() == 0) return;
    for (const Slot& taken : unit.slots) hide_if_full(unit, taken.rank);
    assign_from(able_, unit);
    if (yielding) assign_from(in_use_, unit);
    for (const Slot& taken : unit.slots) show(taken.rank);
    while (yielding && unit.open() && roster_.free_tile_buffers() > 0)
      assign(unit, able_.best_key() != unranked ? able_.best() : in_use_.best());
  }

  void assign_from(const Ranking& ranking, Unit& unit) {
    while (unit.open() && ranking.best_key() != unranked) {
      const int rank = ranking.best();
      assign(unit, rank);
      hide_if_full(unit, rank);
    }
  }

  void hide_if_full(const Unit& unit, int rank) {
    if (!node_is_full(unit, rank)) return;
    able_.hide(roster_.host(rank));
    in_use_.hide(roster_.host(rank));
  }

  void show(int rank) {
    able_.show(roster_.host(rank));
    in_use_.show(roster_.host(rank));
  }

  Ranking able_, in_use_;
};

// Where memory was freed last; then tile buffers that were never used.
class Warm final : public AtOnce {
 public:
  explicit Warm(Roster& roster) : AtOnce(roster) { rank_all(); }

 private:
  std::int64_t key_of(int rank) const noexcept override { return roster_.freed_at(rank); }
};

// Who offers, then who came early to a unit before; then those of whom nothing is known.
class Recent final : public AtOnce {
 public:
  explicit Recent(Roster& roster) : AtOnce(roster), place_(static_cast<std::size_t>(roster.ranks()), -1) { rank_all(); }

  void offered(Unit& unit, int rank) override {
    if (allowed(unit, rank, Rules::all)) assign(unit, rank);
    AtOnce::offered(unit, rank);
  }

  // Two lists, however many units are under way: the best known order, and a later one that may come to replace it.
  void arrived(std::int64_t unit, int rank) override {
    if (unit == known_.unit) {
      known_.ranks.push_back(rank);
      place(rank, static_cast<int>(known_.ranks.size()) - 1);
      return;
    }
    if (next_.unit < 0 && unit > known_.unit) next_.unit = unit;
    if (unit != next_.unit) return;
    next_.ranks.push_back(rank);
    if (next_.ranks.size() >= known_.ranks.size()) replace();
  }

  void forgotten(std::int64_t unit) override {
    if (unit == next_.unit) clear(next_);
  }

 private:
  struct Order {
    std::int64_t unit = -1;
    std::vector<int> ranks;
  };

  std::int64_t key_of(int rank) const noexcept override {
    const int place = place_[static_cast<std::size_t>(rank)];
    return place >= 0 ? roster_.ranks() - place : -1 - roster_.round_robin_index(rank);
  }

  void place(int rank, int number) {
    place_[static_cast<std::size_t>(rank)] = number;
    changed(rank);
  }

  void replace() {
    for (const int rank : known_.ranks) place(rank, -1);
    std::swap(known_, next_);
    clear(next_);
    for (std::size_t i = 0; i < known_.ranks.size(); ++i) place(known_.ranks[i], static_cast<int>(i));
  }

  static void clear(Order& order) {
    order.unit = -1;
    order.ranks.clear();
  }

  std::vector<int> place_;  // of each rank in the order known; -1: not in it
  Order known_, next_;
};

}  // namespace

std::unique_ptr<Choice> make_choice(const ScheduleParameters& parameters, Roster& roster) {
  switch (parameters.choose) {
    case ChooseKind::arrival:
      return std::make_unique<Arrival>(roster);
    case ChooseKind::recent:
      return std::make_unique<Recent>(roster);
    case ChooseKind::warm:
      return std::make_unique<Warm>(roster);
    case ChooseKind::automatic:
      break;
  }
  throw Error(WEIR_EARGUMENT, "the scheduler was asked to choose a policy itself: give it arrival, recent or warm");
}

}  // namespace weir
