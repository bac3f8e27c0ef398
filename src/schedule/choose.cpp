// SPDX-License-Identifier: Apache-2.0
#include "schedule/choose.hpp"

#include <algorithm>
#include <initializer_list>
#include <unordered_map>
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

  void offered(Unit& unit, int /*rank*/) override { fill(unit, {&able_}, false); }
  void yield(Unit& unit) override { fill(unit, {&able_, &in_use_}, true); }
  void freed(Unit& unit, std::span<const int> /*ranks*/) override { fill(unit, {&able_, &in_use_}, true); }

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

  // Assigns slots to the best ranks of one ranking after another: on nodes that are not full; then, if the rule of the
  // nodes yields, on any.
  void fill(Unit& unit, std::initializer_list<Ranking*> rankings, bool yields) {
    if (roster_.free_tile_buffers() == 0) return;
    const auto hide_if_full = [&](int rank) {
      if (!node_is_full(unit, rank)) return;
      for (Ranking* ranking : rankings) ranking->hide(roster_.host(rank));
    };
    for (const Slot& taken : unit.slots) hide_if_full(taken.rank);
    for (const Ranking* ranking : rankings)
      while (unit.open() && ranking->best_key() != unranked) {
        const int rank = ranking->best();
        assign(unit, rank);
        hide_if_full(rank);
      }
    for (const Slot& taken : unit.slots)
      for (Ranking* ranking : rankings) ranking->show(roster_.host(taken.rank));
    if (!yields) return;
    for (const Ranking* ranking : rankings)
      while (unit.open() && ranking->best_key() != unranked) assign(unit, ranking->best());
  }

 private:
  Ranking able_, in_use_;
};

// Where memory was freed last; then tile buffers that were never used.
class Warm final : public AtOnce {
 public:
  explicit Warm(Roster& roster) : AtOnce(roster) { rank_all(); }

 private:
  std::int64_t key_of(int rank) const noexcept override { return roster_.freed_at(rank); }
};

// Beyond that many holders all series are forgotten, and each begins anew.
constexpr std::size_t most_kept_holders = 1 << 16;

// Who offers, then who came early to a unit before; then those of whom nothing is known. Of a series: who holds it,
// else who has least to do.
class Recent final : public AtOnce {
 public:
  Recent(Roster& roster, bool waits_for_holders)
      : AtOnce(roster),
        waits_for_holders_(waits_for_holders),
        idlest_(roster.machine()),
        place_(static_cast<std::size_t>(roster.ranks()), -1),
        series_(place_.size(), 0) {
    for (int rank = 0; rank < roster.ranks(); ++rank)
      keys_ = std::max(keys_, roster.ranks() + roster.round_robin_index(rank) + 2);
    rank_all();
  }

  void offered(Unit& unit, int rank) override {
    const bool in_series = unit.series != 0;
    if (in_series ? is_idlest(unit, rank) : allowed(unit, rank, Rules::all)) assign(unit, rank);
    if (in_series) return deal(unit);
    AtOnce::offered(unit, rank);
  }
  void yield(Unit& unit) override {
    if (unit.series != 0) return deal(unit);
    AtOnce::yield(unit);
  }
  void freed(Unit& unit, std::span<const int> ranks) override {
    if (unit.series != 0) return deal(unit);
    AtOnce::freed(unit, ranks);
  }

  void changed(int rank) override {
    AtOnce::changed(rank);
    idlest_.set(rank, roster_.has_room(rank) ? key_of(rank) - to_do(rank) * keys_ : unranked);
  }

  void begun(Unit& unit) override {
    const auto known = holders_.find(unit.series);
    if (known != holders_.end() && std::ssize(known->second) == unit.wanted) unit.assignment->holders = known->second;
  }

  // The first unit of a series says who holds the later ones.
  void assigned(const Unit& unit) override {
    if (unit.series == 0) return;
    if (kept_holders_ + unit.slots.size() > most_kept_holders) forget_series();
    const auto [holders, is_first] = holders_.try_emplace(unit.series);
    if (!is_first) return;
    kept_holders_ += unit.slots.size();
    for (const Slot& slot : unit.slots) {
      holders->second.push_back(slot.rank);
      ++series_[static_cast<std::size_t>(slot.rank)];
      changed(slot.rank);
    }
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

  // The tiles that it holds, and the series that it has begun: so each begins on another rank than the one before.
  std::int64_t to_do(int rank) const noexcept {
    return roster_.count_held(rank) + series_[static_cast<std::size_t>(rank)];
  }

  bool is_idlest(const Unit& unit, int rank) const noexcept {
    return unit.assignment->holders.empty() && allowed(unit, rank, Rules::any_group) &&
           to_do(rank) == to_do(idlest_.best());
  }

  void deal(Unit& unit) {
    const std::vector<int>& holders = unit.assignment->holders;
    while (!holders.empty() && unit.open() && roster_.free_tile_buffers() > 0) {
      const int holder = holders[unit.slots.size()];
      if (waits_for_holders_ && !roster_.has_room(holder)) return;
      assign(unit, roster_.has_room(holder) ? holder : idlest_.best());
    }
    if (holders.empty()) fill(unit, {&idlest_}, true);
  }

  void forget_series() {
    holders_.clear();
    kept_holders_ = 0;
    for (std::size_t rank = 0; rank < series_.size(); ++rank) {
      series_[rank] = 0;
      changed(static_cast<int>(rank));
    }
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

  bool waits_for_holders_;
  Ranking idlest_;                                              // what a rank has to do, then its key
  std::int64_t keys_ = 1;                                       // different values of key_of(), at most
  std::vector<int> place_;                                      // of each rank in the order known; -1: not in it
  std::vector<std::int64_t> series_;                            // of each rank: those that it has begun
  std::unordered_map<std::int64_t, std::vector<int>> holders_;  // by series: the ranks of its first unit, by slot
  std::size_t kept_holders_ = 0;                                // of all series
  Order known_, next_;
};

}  // namespace

std::unique_ptr<Choice> make_choice(const ScheduleParameters& parameters, Roster& roster) {
  switch (parameters.choose) {
    case ChooseKind::arrival:
      return std::make_unique<Arrival>(roster);
    case ChooseKind::recent:
      return std::make_unique<Recent>(roster, parameters.waits_for_holders);
    case ChooseKind::warm:
      return std::make_unique<Warm>(roster);
    case ChooseKind::automatic:
      break;
  }
  throw Error(WEIR_EARGUMENT, "the scheduler was asked to choose a policy itself: give it arrival, recent or warm");
}

}  // namespace weir
