// SPDX-License-Identifier: Apache-2.0
// The cache of plans: finds a plan by its key, makes it if it is new (plan/planner.hpp), and keeps all plans within
// buffer_limit (contract 5). All ranks keep the same plans.
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

// Thread: the thread of the rank's calls. Collective methods call MPI.
class KeptPlans {
 public:
  // All outlive this, and are complete before a method is called.
  KeptPlans(RankContext& rank, Agreement& agreement, const Roles& roles, Cycles& cycles);

  // Return the plan of a put into, and of a get from, a file. A get uses a put's plan in reverse where that is
  // possible.
  // Requires: the key is the same on all ranks.
  // Ensures: the plan stays while a cycle uses it. A later call that makes or forgets plans may remove it; before, it
  // drains all cycles (make_room()), or its caller has (forget()).
  // Collective where the plan is new, else Local.
  // Errors: alike on all ranks. WEIR_EOVERLAP and WEIR_ECOVER (contract 1); the file has then failed, unless it is
  // attached. WEIR_EMEMORY if buffer_limit is too small for the plan.
  const Plan& to_write(const PlanKey& key, const Layout& layout, const OpenFile& file, int var);
  const ReadPlan& to_read(const GetRequest& request);
  // Removes the plans of a layout.
  // Requires: the pipeline is drained; all ranks call it.
  // Local.
  void forget(int layout);
  // Removes all plans. As forget().
  void clear() noexcept { plans_.clear(); }
  // Forgets which plans were used last, in a recovery, since ranks may have used different ones. Local.
  void forget_uses() noexcept;
  // Bytes of memory of all plans, and of the programs by which this rank unpacks others' pieces.
  std::int64_t bytes() const noexcept;

 private:
  struct Kept {
    Plan plan;
    std::optional<ReadPlan> backwards;  // the plan in reverse, once it is needed
    std::int64_t bytes;
    std::uint64_t used;  // larger for plans used later; the same on all ranks
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
