// SPDX-License-Identifier: Apache-2.0
// Gets of all ranks, after their file has checked them: by owners and kept plans (Reading, engine/collective_read.hpp),
// or each rank for itself (OwnReading, engine/own_read.hpp). Also prefetching from storage.
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

// Thread: the thread of the rank's calls; calls MPI. Errors are thrown, alike on all ranks.
class Reading {
 public:
  // All outlive this.
  Reading(RankContext& rank, Agreement& agreement, KeptPlans& plans, Cycles& cycles)
      : rank_(rank), agreement_(agreement), plans_(plans), cycles_(cycles) {}

  // Reads the request's records by owners. What was put before is written first.
  // Requires: all but the buffers is the same on all ranks.
  // Collective.
  // Errors: the storage's; WEIR_ERANGE if values do not fit, the others are there. No file fails.
  RangeFailure get(const GetRequest& request);
  // Ends a get: all ranks agree on `status` and on values that did not fit.
  // Collective.
  // Errors: any rank's failure; WEIR_ERANGE.
  void end(const GetRequest& request, const RangeFailure& failure, Status status);
  // Has the owners ask the system for what get() would read, and does not wait for it. Uses no tile memory.
  // Collective where the plan is new, else Local.
  void prefetch(const GetRequest& request);

 private:
  using AskFor = std::function<void(TileSource&)>;
  void ask_ahead(const std::shared_ptr<TileSource>& source, const std::string& call, AskFor ask);

  RankContext& rank_;
  Agreement& agreement_;
  KeptPlans& plans_;
  Cycles& cycles_;
};

// Gets in which each rank reads for itself: decides whether ranks do so, and keeps their plans. The decision follows
// from the file's location and from the layouts; all ranks agree on it when a get begins.
class OwnReading {
 public:
  using Kept = std::shared_ptr<const OwnPlan>;

  // Both outlive this.
  OwnReading(RankContext& rank, Reading& reading) : rank_(rank), reading_(reading) {}

  // Returns this rank's plan for a layout. `number`: the layout's; -1: it has none, and the plan is not kept. nullptr
  // if owners have to read: there are several hosts, the runs are short, or the plan would be large. Local.
  Kept plan(int number, const Layout& layout, int element_bytes);
  // Reads as Reading::get().
  // Requires: all ranks have plans, and all have found the file unchanged. Pending puts need not be written, since a
  // file being read has none.
  // Collective.
  void get(const GetRequest& request, const Kept& plan);
  // Removes the plans of a layout. Local.
  void forget(int layout);

 private:
  bool may_read() const noexcept;

  RankContext& rank_;
  Reading& reading_;
  std::map<std::pair<int, int>, Kept> kept_;  // by layout and element size
  std::int64_t kept_bytes_ = 0;
};

}  // namespace weir
