// SPDX-License-Identifier: Apache-2.0
// The way back: what all ranks read by kept plans, turned round, and what storage is asked for ahead of that.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "pipeline/calls.hpp"
#include "pipeline/cycles.hpp"
#include "pipeline/kept_plans.hpp"
#include "pipeline/meetings.hpp"
#include "pipeline/rank_context.hpp"

namespace weir {

class Reading {
 public:
  // All outlive this.
  Reading(RankContext& rank, Meetings& meetings, KeptPlans& plans, Cycles& cycles)
      : rank_(rank), meetings_(meetings), plans_(plans), cycles_(cycles) {}

  // Reads what all ranks want. What was put before is written first. Throws where any of them fails, alike on all; else
  // they have met afterwards. Collective.
  RangeFailure get(const Want& want);
  // The owners of what get() would read ask the system for it, and go on: no buffer of a record is touched, and tile
  // memory stays free. Collective where the plan is new.
  void prefetch(const Want& want);

 private:
  using AskFor = std::function<void(TileSource&)>;
  void ask_ahead(const std::shared_ptr<TileSource>& source, const std::string& call, AskFor ask);

  RankContext& rank_;
  Meetings& meetings_;
  KeptPlans& plans_;
  Cycles& cycles_;
};

}  // namespace weir
