// SPDX-License-Identifier: Apache-2.0
// `strategy: auto`: the pipeline writes in the advised way, and changes it between cycles. With other strategies this
// class does nothing.
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

class Advising {
 public:
  // All outlive this, which gives the rank another configuration, and roles, plans and a flow by it.
  Advising(RankContext& rank, Agreement& agreement, Roles& roles, KeptPlans& plans, Cycles& cycles)
      : rank_(rank), agreement_(agreement), roles_(roles), plans_(plans), cycles_(cycles) {}

  // The way to write is advised, with `asked` for all that the advice does not name.
  void ask_for(const Config& asked);
  bool asked() const noexcept { return advice_ != nullptr; }
  // A file with records is about to be written: the first one brings the advice. Collective.
  void take(const OpenFile& file, const std::string& packing);
  // Collective where a way to write has been tried for long enough.
  void end_record(const OpenFile& file);
  void leave(const OpenFile& file);
  // At a commit, on rank 0: whether what was advised has become slower; then all ranks call reconsider().
  bool slower_than_before();
  void reconsider();
  // Keeps what was found for the next run. Seconds since the start, and of them in Weir's calls. Local.
  void remember(double elapsed_seconds, double call_seconds);
  // The last changes of mind, a line each.
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
