// SPDX-License-Identifier: Apache-2.0
// The path, joined: a put goes from its file to its tiles by what this class holds.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "engine/advising.hpp"
#include "engine/agreement.hpp"
#include "engine/background_threads.hpp"
#include "engine/cycles.hpp"
#include "engine/kept_plans.hpp"
#include "engine/rank_context.hpp"
#include "engine/reading.hpp"
#include "engine/request.hpp"
#include "plan/roles.hpp"

namespace weir {

// The path: put, plan, schedule, forward, rearrange, write, joined.
//
//  1. plan      The first put of a layout at an offset of a file makes a plan (collective); later ones find it.
//  2. reserve   Each round of the plan gets memory in the open cycle; where that is used up, the cycle is finished and
//               another one begun. All ranks reserve by amounts they have agreed on, so all do so at the same put.
//  3. schedule  The cycle's tiles have holders: the plan's owners, or ranks that the scheduler chooses when the cycle
//               begins (flow/flow.hpp).
//  4. stage     The rank copies its elements: into tile memory it reaches, else into messages.
//  5. finish    The rank says in its host's shared status that its pieces are in place, and sends its messages.
//  6. forward   Messages come to holders on other hosts; rearrange puts their pieces in place and fills holes.
//  7. write     Each holder hands its tiles to the file once all pieces are there: at once, when it is early, or by its
//               background writer. Meanwhile the next cycles fill other tile buffers.
//
// No step of a cycle waits for all ranks, unless a sink is collective. Errors are kept until all ranks agree on them:
// at new plans, at commits. A rank whose call was refused is out of sync; ranks that wait for it stop waiting and join
// the agreement. When all files have failed on all ranks, cycles, plans and layouts are brought into sync again.

class Pipeline : private Agreement::OngoingWork {
 public:
  // Collective over `comm`, which is the model's and must outlive the pipeline. link: where a rank of its own runs the
  // scheduler, the model's ranks and that one (schedule/control.hpp); else nullptr. With advice, the pipeline puts
  // another configuration in the place of `config` between cycles. layouts: all that puts are by; they are brought into
  // sync after a failure.
  Pipeline(std::shared_ptr<const Config> config, const Comm& comm, const Comm* link, Trace& trace, Layouts& layouts);

  // Collective where the plan is new or memory runs out, else Local. What does not fit its type is counted.
  RangeFailure put(const PutRequest& request);
  // All of a file's record is put, so the model is likely to compute now: where tiles are written in the background,
  // those that are worth it are not kept back for more puts. With advice it is collective where a way to write has been
  // tried for long enough.
  void end_record(const OpenFile& file);
  // Writes what was put, for a call of this name. Collective. A file's error is kept in its OpenFile, alike on all
  // ranks; other files go on.
  void flush(std::string_view call = "") { cycles_.flush(call); }
  // As Cycles::drain().
  void drain() { cycles_.drain(); }
  // A file's last call: whatever knows it forgets it. Local.
  void leave(const OpenFile& file);

  Agreement& agreement() noexcept { return agreement_; }
  KeptPlans& plans() noexcept { return plans_; }
  const KeptPlans& plans() const noexcept { return plans_; }
  Reading& reading() noexcept { return reading_; }
  OwnReading& own_reading() noexcept { return own_reading_; }
  Advising& advice() noexcept { return advice_; }
  const Advising& advice() const noexcept { return advice_; }
  const Roles& roles() const noexcept { return roles_; }
  Traffic traffic() const noexcept { return cycles_.traffic(); }

  RankContext& rank() noexcept { return rank_; }
  const RankContext& rank() const noexcept { return rank_; }
  const Machine& machine() const noexcept { return rank_.machine; }
  Tally& tally() noexcept { return rank_.tally; }
  StorageCalls& storage() noexcept { return rank_.storage; }
  // As RankContext::deadline().
  Deadline deadline() const noexcept { return rank_.deadline(); }

  // Whatever this rank does is done under a hold of it; nullptr: nothing runs between the rank's calls.
  ProgressThread* progress_thread() const noexcept { return progress_thread_.get(); }
  // After a timeout: nothing collective any more, not even freeing. False where a thread is still writing: then nothing
  // may be freed.
  [[nodiscard]] bool abandon() noexcept;

 private:
  std::uint32_t cycle() const noexcept override { return cycles_.number(); }
  void pause(const std::function<void()>& change) override { cycles_.flow().pause(change); }
  void say_out_of_sync() override { cycles_.flow().say_out_of_sync(); }
  // Brings cycles, plans and layouts into sync again.
  void recover() override;

  std::unique_ptr<ProgressThread> make_progress_thread();

  RankContext rank_;
  Agreement agreement_;
  Roles roles_;
  KeptPlans plans_;
  Cycles cycles_;
  Reading reading_;
  OwnReading own_reading_;
  Advising advice_;
  std::unique_ptr<ProgressThread> progress_thread_;
};

}  // namespace weir
