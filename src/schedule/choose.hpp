// SPDX-License-Identifier: Apache-2.0
// Policies: which rank gets a slot (scheduler.hpp describes them). Each is a class that is made once. The scheduler
// calls it in three cases: at an offer, when the rules may yield, and when ranks may take a slot that could not before.
// It keeps the queue of the units that wait. Pure, Local.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "schedule/roster.hpp"
#include "schedule/unit.hpp"

namespace weir {

class Choice {
 public:
  explicit Choice(Roster& roster) : roster_(roster) {}
  virtual ~Choice() = default;
  Choice(const Choice&) = delete;
  Choice& operator=(const Choice&) = delete;

  // Offered and not assigned, in the order of their first offers.
  std::span<Unit* const> waiting() const noexcept { return waiting_; }
  void enqueue(Unit& unit);
  void dequeue(Unit& unit);

  // `rank` has just offered `unit`, which is open: assigns it as far as all rules allow.
  virtual void offered(Unit& unit, int rank) = 0;
  // `unit` is open after an offer: assigns it by fewer rules, if the time has come to yield.
  virtual void yield(Unit& unit) = 0;
  // `unit` is open, and `ranks` have got room or are no longer in use: assigns it as far as they may.
  virtual void freed(Unit& unit, std::span<const int> ranks) = 0;
  // `rank` has got or lost room, or is in use, or no longer.
  virtual void changed(int /*rank*/) {}
  // `rank` has offered `unit`, assigned or not; after `offered`.
  virtual void arrived(std::int64_t /*unit*/, int /*rank*/) {}
  // No rank will offer `unit` again.
  virtual void forgotten(std::int64_t /*unit*/) {}

 protected:
  // What must hold besides the cap, in the order in which rules yield.
  enum class Rules { all, any_cycle, any_node, none };

  bool allowed(const Unit& unit, int rank, Rules rules) const noexcept;
  bool node_is_full(const Unit& unit, int rank) const noexcept;
  // Whether there is a place that no unit before `unit` in the queue wants. Else two units that wait could each hold
  // what the other needs.
  bool has_surplus(const Unit& unit) const noexcept;
  void assign(Unit& unit, int rank);

  Roster& roster_;

 private:
  std::vector<Unit*> waiting_;
  std::int64_t missing_ = 0;  // slots that they want
};

// `roster` must outlive it. Throws Error(WEIR_EARGUMENT) for ChooseKind::automatic, which the caller resolves.
std::unique_ptr<Choice> make_choice(const ScheduleParameters& parameters, Roster& roster);

}  // namespace weir
