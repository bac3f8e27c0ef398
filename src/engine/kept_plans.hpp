// SPDX-License-Identifier: Apache-2.0
// The cache of plans: found by key, made by messages between ranks if they are new, and kept within buffer_limit. All
// ranks keep the same plans.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "engine/agreement.hpp"
#include "engine/cycles.hpp"
#include "engine/rank_context.hpp"
#include "engine/request.hpp"
#include "plan/plan.hpp"
#include "plan/planner.hpp"
#include "plan/roles.hpp"

namespace weir {

class KeptPlans {
 public:
  // All outlive what is asked of this.
  KeptPlans(RankContext& rank, Agreement& agreement, const Roles& roles, Cycles& cycles);

  // Of a put into `file`'s variable. Collective where it is new.
  const Plan& to_write(const PlanKey& key, const Layout& layout, const OpenFile& file, int var);
  const ReadPlan& to_read(const GetRequest& request);
  // Forgets the plans of a layout. Nothing of it may be waiting: settle first. Collective.
  void forget(int layout);
  // All of them, where nothing is under way.
  void clear() noexcept { plans_.clear(); }
  // After a failure of all ranks, which have not used the same ones.
  void forget_uses() noexcept;
  // What plans take on this rank, those of others that it places pieces by included.
  std::int64_t bytes() const noexcept;

 private:
  struct Kept {
    Plan plan;
    std::optional<ReadPlan> backwards;  // once it was read by
    std::int64_t bytes;
    std::uint64_t used;  // larger where it was used later; all ranks use plans in the same order
  };
  Kept& add(const PlanKey& key, const Layout& layout, const OpenFile& file, int var);
  const ReadPlan* known_to_read(PlanKey key);
  PlanRequest request(const PlanKey& key, const Layout& layout, const OpenFile& file) const;
  Plan make(PlanRequest request, const Layout& layout, const OpenFile& file, int var);
  struct Planned {
    const Layout& layout;
    const OpenFile& file;
    int var;
  };
  Plan make_once(const PlanRequest& request, const Strategy& strategy, const Planned& what);
  ReadSums sums_of(const Plan& plan) const;
  void open_slots(Plan& plan) const;
  void make_room(std::int64_t most_bytes);
  void forget_older();

  RankContext& rank_;
  Agreement& agreement_;
  const Roles& roles_;
  Cycles& cycles_;
  std::map<PlanKey, Kept> plans_;
  std::uint64_t uses_ = 0;
  int exchange_tag_ = 0;
};

}  // namespace weir
