// SPDX-License-Identifier: Apache-2.0
// Recovery from failures between agreements: it pauses writing while files fail, and when all files have failed on all
// ranks, it brings cycles, plans and layouts into sync again.
#pragma once

#include <cstdint>
#include <functional>

#include "pipeline/cycles.hpp"
#include "pipeline/kept_plans.hpp"
#include "pipeline/agreement.hpp"
#include "pipeline/rank_context.hpp"

namespace weir {

class Recovery final : public Agreement::OngoingWork {
 public:
  // May be made before them; all outlive what is asked of this.
  Recovery(RankContext& rank, Agreement& agreement, KeptPlans& plans, Cycles& cycles)
      : rank_(rank), agreement_(agreement), plans_(plans), cycles_(cycles) {}

  std::uint32_t cycle() const noexcept override { return cycles_.number(); }
  void pause(const std::function<void()>& change) override { cycles_.flow().pause(change); }
  void say_out_of_sync() override { cycles_.flow().say_out_of_sync(); }
  void recover() override;

 private:
  RankContext& rank_;
  Agreement& agreement_;
  KeptPlans& plans_;
  Cycles& cycles_;
};

}  // namespace weir
