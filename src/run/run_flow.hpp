// SPDX-License-Identifier: Apache-2.0
// The flow of a run: flow/flow.hpp over run/run_world.hpp. Its calls come back when they are done.
#pragma once

#include <functional>
#include <memory>

#include "flow/flow.hpp"
#include "run/run_world.hpp"

namespace weir {

class RunFlow {
 public:
  // Collective over the parts' communicator.
  RunFlow(const RunParts& parts, std::unique_ptr<Control> control, int window);

  // As the flow's.
  [[nodiscard]] bool begin(Cycle& cycle) { return flow_.begin(cycle).run_through(); }
  [[nodiscard]] bool make_room(std::uint32_t cycle) { return flow_.make_room(cycle).run_through(); }
  [[nodiscard]] bool finish(Cycle& cycle) { return flow_.finish(cycle).run_through(); }
  [[nodiscard]] bool settle() { return flow_.settle().run_through(); }
  void listen() { flow_.listen().run_through(); }
  bool expects() const { return flow_.expects(); }
  bool full(std::int64_t tile_bytes) const noexcept { return flow_.full(tile_bytes); }
  bool beside() const noexcept { return flow_.beside(); }
  void say_out_of_sync() { flow_.say_out_of_sync(); }
  void pause(const std::function<void()>& change) { flow_.pause(change); }

  // Plans go: nothing of them is under way on any rank. All ranks call it.
  void forget_plans() { world_.transport().forget(); }
  // Memory that goes by that: what is known of other ranks' plans.
  std::int64_t recipe_bytes() const noexcept { return world_.transport().recipe_bytes(); }
  // After a failure of all ranks: forgets what was begun; all ranks meet between the two halves.
  void end(std::uint32_t cycle);
  void restart(std::uint32_t cycle);
  // After a timeout: no MPI any more. False where a writer thread is in a write that does not end.
  [[nodiscard]] bool abandon() noexcept;
  // For the report: what was forwarded; messages to the scheduler.
  const Traffic& traffic() const noexcept { return world_.transport().traffic(); }
  std::int64_t control_messages() const noexcept { return control_->messages(); }

 private:
  RunParts parts_;
  std::unique_ptr<Control> control_;
  RunWorld world_;
  Flow flow_;
};

}  // namespace weir
