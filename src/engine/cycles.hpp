// SPDX-License-Identifier: Apache-2.0
// Cycles: puts get memory in the open cycle, which ends when its memory is used up, when a record is complete, or at a
// flush; the flow (flow/flow.hpp) then brings its tiles to their holders and to the file.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "engine/agreement.hpp"
#include "engine/pending_puts.hpp"
#include "engine/rank_context.hpp"
#include "engine/request.hpp"
#include "engine/run_world.hpp"
#include "flow/flow.hpp"
#include "plan/roles.hpp"

namespace weir {

// A run's flow, and what it stands on.
struct RunFlow {
  // Collective over the parts' communicator. window: cycles in flight, at most.
  RunFlow(const RunParts& parts, std::unique_ptr<Control> by, int window)
      : control(std::move(by)), world(parts), flow(world, {parts.config, parts.machine, window}, *control) {}

  std::unique_ptr<Control> control;
  RunWorld world;
  Flow flow;
};

class Cycles {
 public:
  // link: where a rank of its own runs the scheduler, the model's ranks and that one (schedule/control.hpp); else
  // nullptr. All outlive this. Collective.
  Cycles(RankContext& rank, Agreement& agreement, const Roles& roles, const Comm* link);

  // By a plan that is kept until the cycle is settled. Collective where memory runs out, else Local.
  RangeFailure put(const PutRequest& request, const Plan& steps);
  // The model is likely to compute now: where tiles are written in the background, those that are worth it are not kept
  // back.
  void end_record();
  // Writes what was put, for a call of this name. Collective.
  void flush(std::string_view call = "");
  // Flushes, and waits until all ranks have: what is put later is written later. Collective.
  void drain();
  // Nothing was put since all ranks settled; alike on all.
  bool at_rest() const noexcept { return at_rest_; }
  // Of the open cycle, or the last one.
  std::uint32_t number() const noexcept { return cycle_.number; }
  Flow& flow() noexcept { return run_->flow; }
  Transport& transport() noexcept { return run_->world.transport(); }
  const Transport& transport() const noexcept { return run_->world.transport(); }
  Traffic traffic() const noexcept;

  // The flow by the roles and the memory that there are now. Collective.
  std::unique_ptr<RunFlow> make_flow(const Comm* link);
  // Goes on with it, where nothing is under way on any rank.
  void go_on_with(std::unique_ptr<RunFlow> run);

  // After a failure of all ranks: what was put is given up; all go on after the furthest one's cycle. All ranks agree
  // between each of these.
  void drop();
  void end(std::uint32_t furthest);
  void restart();

  // For the progress thread.
  bool expects() const { return run_ && run_->flow.expects(); }
  // After a timeout. False where a thread is still writing.
  [[nodiscard]] bool abandon() noexcept;

 private:
  void begin();
  // Memory for a round of a put, in the open cycle or in a new one.
  Reservation reserve(const Need& need);
  // Ends the open cycle, if there is one: its tiles go to their holders. call: in which this is, for the sentence where
  // ranks differ.
  void finish(std::string_view call = cycle_call);
  void agree_to_write(std::string_view call);

  static constexpr std::string_view cycle_call = "flush";

  RankContext& rank_;
  Agreement& agreement_;
  const Roles& roles_;
  bool at_rest_ = true;
  bool open_ = false;
  Cycle cycle_;  // the open one, or the last one
  Batch batch_;
  Traffic past_;  // of flows that another one has replaced
  std::unique_ptr<RunFlow> run_;
};

}  // namespace weir
