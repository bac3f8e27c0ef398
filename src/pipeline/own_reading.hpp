// SPDX-License-Identifier: Apache-2.0
// Gets of all ranks in which each reads for itself (read/own_read.hpp): whether they do, and by which plans. Which way
// is taken follows from where the file is and from the layouts, and is agreed on by all ranks where a get begins.
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
  void get(const Want& want, const Kept& plan);
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
