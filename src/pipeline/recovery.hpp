// SPDX-License-Identifier: Apache-2.0
// What a failure does to the work between meetings: it stands still while files fail, and where all have failed on all
// ranks, cycles, plans and layouts are brought into sync again.
#pragma once

#include <cstdint>
#include <functional>

#include "pipeline/cycles.hpp"
#include "pipeline/kept_plans.hpp"
#include "pipeline/meetings.hpp"
#include "pipeline/rank_context.hpp"

namespace weir {

class Recovery final : public Meetings::Work {
 public:
  // May be made before them; all outlive what is asked of this.
  Recovery(RankContext& rank, Meetings& meetings, KeptPlans& plans, Cycles& cycles)
      : rank_(rank), meetings_(meetings), plans_(plans), cycles_(cycles) {}

  std::uint32_t cycle() const noexcept override { return cycles_.number(); }
  void pause(const std::function<void()>& change) override { cycles_.flow().pause(change); }
  void say_out_of_sync() override { cycles_.flow().say_out_of_sync(); }
  void recover() override;

 private:
  RankContext& rank_;
  Meetings& meetings_;
  KeptPlans& plans_;
  Cycles& cycles_;
};

}  // namespace weir
