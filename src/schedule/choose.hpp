// SPDX-License-Identifier: Apache-2.0
// How the scheduler chooses a rank for a slot (Choice): one class for each `debug.choose`. schedule/scheduler.hpp has
// the rules, and calls it. Pure, Local.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "schedule/roster.hpp"
#include "schedule/unit.hpp"

namespace weir {

// Called at an offer, when the rules may yield, and when ranks become able to take a slot. Keeps the queue of waiting
// units.
class Choice {
 public:
  explicit Choice(Roster& roster) : roster_(roster) {}
  virtual ~Choice() = default;
  Choice(const Choice&) = delete;
  Choice& operator=(const Choice&) = delete;

  // Units that are offered and not assigned, in the order of their first offers.
  std::span<Unit* const> waiting() const noexcept { return waiting_; }
  void enqueue(Unit& unit);
  void dequeue(Unit& unit);

  // `unit` is offered for the first time. Says in its assignment which ranks are to hold it, if that is known.
  virtual void begun(Unit& /*unit*/) {}
  // All slots of `unit` are taken.
  virtual void assigned(const Unit& /*unit*/) {}
  // `rank` has just offered `unit`, which is open: assigns slots as far as all rules allow.
  virtual void offered(Unit& unit, int rank) = 0;
  // `unit` is open after an offer: assigns slots by fewer rules, if waiting cannot help.
  virtual void yield(Unit& unit) = 0;
  // `unit` is open, and `ranks` have got room or are no longer in use: assigns slots as far as possible.
  virtual void freed(Unit& unit, std::span<const int> ranks) = 0;
  // Whether `rank` has room or is in use has changed.
  virtual void changed(int /*rank*/) {}
  // `rank` has offered `unit`, assigned or not. Called after offered().
  virtual void arrived(std::int64_t /*unit*/, int /*rank*/) {}
  // No rank will offer `unit` again.
  virtual void forgotten(std::int64_t /*unit*/) {}

 protected:
  // The rules that hold in addition to the memory cap, in the order in which they yield.
  enum class Rules { all, any_group, any_node, none };

  bool allowed(const Unit& unit, int rank, Rules rules) const noexcept;
  bool node_is_full(const Unit& unit, int rank) const noexcept;
  // Whether there is a tile buffer that no unit before `unit` in the queue needs. Else two waiting units could each
  // hold what the other needs.
  bool has_surplus(const Unit& unit) const noexcept;
  void assign(Unit& unit, int rank);

  Roster& roster_;

 private:
  std::vector<Unit*> waiting_;
  std::int64_t missing_ = 0;  // slots that waiting units need
};

// Makes the choice. `roster` outlives it.
// Errors: WEIR_EARGUMENT for ChooseKind::automatic, which the caller resolves.
std::unique_ptr<Choice> make_choice(const ScheduleParameters& parameters, Roster& roster);

}  // namespace weir
