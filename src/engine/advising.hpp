// SPDX-License-Identifier: Apache-2.0
// `strategy: auto`: chooses the way to write, measures it, and changes it between cycles. Which ways there are and
// which is kept is decided in advice/advisor.hpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "advice/tuned_table.hpp"
#include "engine/agreement.hpp"
#include "engine/cycles.hpp"
#include "engine/kept_plans.hpp"
#include "engine/rank_context.hpp"
#include "plan/roles.hpp"

namespace weir {

// Gives the rank another configuration, roles, plans and flow when the advice changes. Without ask_for() its methods do
// nothing. Errors: thrown, alike on all ranks.
class Advising {
 public:
  // All outlive this.
  Advising(RankContext& rank, Agreement& agreement, Roles& roles, KeptPlans& plans, Cycles& cycles)
      : rank_(rank), agreement_(agreement), roles_(roles), plans_(plans), cycles_(cycles) {}

  // Turns the advice on. `asked` is the configuration for everything that the advice does not set. Local.
  void ask_for(const Config& asked);
  bool asked() const noexcept { return advice_ != nullptr; }
  // Takes the first way to write, when the first file with records begins. `packing`: the file's format and filter as
  // the tuned table names them.
  // Requires: all ranks call it; the file's output is not yet made.
  // Collective.
  // Errors: WEIR_EMEMORY if the way needs memory that the system refuses; the way before stays.
  void take(const OpenFile& file, const std::string& packing);
  // Notes the end of a record, and changes the way if its trial is over.
  // Collective where a trial ends, at the same record on all ranks; else Local.
  void end_record(const OpenFile& file);
  // Forgets the file, and breaks off a trial that was measured by it. Local.
  void leave(const OpenFile& file);
  // Returns whether the way has become slower than it was. Rank 0 asks at a commit; if it is true, all ranks call
  // reconsider(). Local.
  bool slower_than_before();
  // Tries the ways anew from the next record on.
  // Requires: all ranks call it.
  // Local.
  void reconsider();
  // Writes what was found to the tuned table, on rank 0. The times are since the start. Local.
  // Errors: none thrown; a failure becomes a line of lines().
  void remember(double elapsed_seconds, double call_seconds);
  // The last decisions, a line each.
  const std::vector<std::string>& lines() const noexcept { return lines_; }

 private:
  std::vector<Way> ways_for(const OpenFile& file, TunedEntry& known);
  void change_to(const Way& way);
  void say(std::string line);

  RankContext& rank_;
  Agreement& agreement_;
  Roles& roles_;
  KeptPlans& plans_;
  Cycles& cycles_;
  std::unique_ptr<Advice> advice_;
  std::vector<std::string> lines_;
};

}  // namespace weir
