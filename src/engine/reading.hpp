// SPDX-License-Identifier: Apache-2.0
// Collective reads by kept plans, with the direction reversed, and prefetching from storage.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "engine/agreement.hpp"
#include "engine/cycles.hpp"
#include "engine/kept_plans.hpp"
#include "engine/own_read.hpp"
#include "engine/rank_context.hpp"
#include "engine/request.hpp"

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

// Collective gets in which each rank reads for itself (engine/own_read.hpp): whether ranks do so, and by which plans.
// The choice follows from the file's location and from the layouts, and all ranks agree on it at the start of a get.

class OwnReading {
 public:
  using Kept = std::shared_ptr<const OwnPlan>;

  // Both outlive this.
  OwnReading(RankContext& rank, Reading& reading) : rank_(rank), reading_(reading) {}

  // This rank's plan for a layout of this number (-1: of none, and it is not kept); nullptr where owners are to read:
  // ranks are on several hosts, its runs are short, or the plan would be large. Local.
  Kept plan(int number, const Layout& layout, int element_bytes);
  // As Reading::get(), by plans that all ranks have, of a file that they all found to be what it was. What was put
  // before may still be on its way: it is in no file that can be read. Collective.
  void get(const GetRequest& request, const Kept& plan);
  // Forgets the plans of a layout. Local.
  void forget(int layout);

 private:
  bool may_read() const noexcept;

  RankContext& rank_;
  Reading& reading_;
  std::map<std::pair<int, int>, Kept> kept_;  // by layout and bytes of an element
  std::int64_t kept_bytes_ = 0;
};

}  // namespace weir
