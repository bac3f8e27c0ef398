// SPDX-License-Identifier: Apache-2.0
// Collective reads by kept plans, with the direction reversed, and prefetching from storage.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "pipeline/calls.hpp"
#include "pipeline/cycles.hpp"
#include "pipeline/kept_plans.hpp"
#include "pipeline/agreement.hpp"
#include "pipeline/rank_context.hpp"

namespace weir {

class Reading {
 public:
  // All outlive this.
  Reading(RankContext& rank, Agreement& agreement, KeptPlans& plans, Cycles& cycles)
      : rank_(rank), agreement_(agreement), plans_(plans), cycles_(cycles) {}

  // Reads what all ranks want. What was put before is written first. Throws where any of them fails, alike on all; else
  // they have met afterwards. Collective.
  RangeFailure get(const GetRequest& request);
  // The end of a get, which this rank came to in this way: all ranks agree. Throws what any of them brings, values that
  // did not fit included. Collective.
  void end(const GetRequest& request, const RangeFailure& failure, Status status);
  // The owners of what get() would read ask the system for it, and go on: no buffer of a record is touched, and tile
  // memory stays free. Collective where the plan is new.
  void prefetch(const GetRequest& request);

 private:
  using AskFor = std::function<void(TileSource&)>;
  void ask_ahead(const std::shared_ptr<TileSource>& source, const std::string& call, AskFor ask);

  RankContext& rank_;
  Agreement& agreement_;
  KeptPlans& plans_;
  Cycles& cycles_;
};

}  // namespace weir
