// SPDX-License-Identifier: Apache-2.0
// Cycles: puts get memory in the open cycle. A cycle ends when its memory is used up, when a record is complete, or at
// a flush; then the flow (flow/flow.hpp) brings its tiles to their holders and to the file.
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

// The flow of a run, and the control and world that it uses.
struct RunFlow {
  // Collective over the parts' communicator. `window`: cycles in flight, at most.
  RunFlow(const RunParts& parts, std::unique_ptr<Control> by, int window)
      : control(std::move(by)), world(parts), flow(world, {parts.config, parts.machine, window}, *control) {}

  std::unique_ptr<Control> control;
  RunWorld world;
  Flow flow;
};

// The cycles of one rank; all ranks end their cycles at the same put.
// Thread: the thread of the rank's calls, except expects(). Collective methods call MPI.
// Errors: thrown. A failure of writing is noted, for the next agreement.
class Cycles {
 public:
  // Collective. All arguments outlive this. `link`: with a control rank, the communicator of the model's ranks and that
  // rank (schedule/control.hpp); else nullptr.
  Cycles(RankContext& rank, Agreement& agreement, const Roles& roles, const Comm* link);

  // Copies this rank's elements into the open cycle; ends cycles as memory runs out (contract 5).
  // Requires: `steps` is the request's plan, and is kept until the cycle is drained.
  // Ensures: the caller's buffer is free (contract 2). Returns the values that did not fit.
  // Collective. Waits as Flow does: for some ranks, where a cycle begins (for the window, and under `dynamic` for
  // slots) or memory runs out (for pieces, and for receivers of messages); for all ranks if a sink is collective.
  RangeFailure put(const PutRequest& request, const Plan& steps);
  // Notes that a record is complete, so that the model is likely to compute now. Ends the cycle if writing it now is
  // worth it (`overlap: slack` or `background`).
  // Collective. Waits for other ranks only where a file must be laid out anew for the cycle, or a rank is out of sync.
  void end_record();
  // Ends the cycle, and waits until this rank has written all its tiles. `call` is for messages.
  // Collective.
  void flush(std::string_view call = "");
  // Flushes, and waits until all ranks have.
  // Ensures: what was put is in the files; plans and layouts may be removed.
  // Collective.
  void drain();
  // Whether nothing was put since the last drain(); the same on all ranks.
  bool at_rest() const noexcept { return at_rest_; }
  // The number of the open cycle, or of the last one.
  std::uint32_t number() const noexcept { return cycle_.number; }
  Flow& flow() noexcept { return run_->flow; }
  Transport& transport() noexcept { return run_->world.transport(); }
  const Transport& transport() const noexcept { return run_->world.transport(); }
  Traffic traffic() const noexcept;

  // Makes a flow for the current configuration, roles and memory. Collective.
  std::unique_ptr<RunFlow> make_flow(const Comm* link);
  // Replaces the flow.
  // Requires: all ranks are drained, and all call it.
  // Local.
  void go_on_with(std::unique_ptr<RunFlow> run);

  // The three steps of a recovery, after a failure of all files; all ranks agree between them. drop() drops what was
  // put. end() drops messages and pending writes, and goes on after the furthest rank's cycle. restart() begins anew.
  // Collective for end(), else Local.
  void drop();
  void end(std::uint32_t furthest);
  void restart();

  // As Flow::expects(), for the progress thread.
  bool expects() const { return run_ && run_->flow.expects(); }
  // Gives the flow up after a timeout. Returns false if a thread is still writing. Local; calls no collective.
  [[nodiscard]] bool abandon() noexcept;

 private:
  void begin(std::int64_t series);
  // Reserves memory for a round, in the open cycle or in a new one, which then is of this series.
  Reservation reserve(const Need& need, std::int64_t series);
  // A number for the ranks that hold the open cycle's tiles of a record put in so many rounds, as
  // OutputFile::note_holders() takes it.
  std::uint64_t holders(std::size_t rounds) const noexcept;
  // Ends the open cycle, if there is one. `call` is for messages.
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
  Traffic past_;  // of flows that were replaced
  std::unique_ptr<RunFlow> run_;
};

}  // namespace weir
