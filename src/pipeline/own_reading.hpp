// SPDX-License-Identifier: Apache-2.0
// Collective gets in which each rank reads for itself (read/own_read.hpp): whether ranks do so, and by which plans. The
// choice follows from the file's location and from the layouts, and all ranks agree on it at the start of a get.
#pragma once

#include <map>
#include <memory>
#include <utility>

#include "pipeline/calls.hpp"
#include "pipeline/rank_context.hpp"
#include "pipeline/reading.hpp"
#include "read/own_read.hpp"

namespace weir {

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
