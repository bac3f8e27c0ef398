// SPDX-License-Identifier: Apache-2.0
// The pipeline: the path of a put, from its file to the disk, and what the path needs. A reader follows the seven steps
// below into the headers that they name.
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

// The steps of a put:
//
//  1. Plan. The first put of a layout at a place in a file makes a plan (engine/kept_plans.hpp); later puts find it.
//  2. Reserve. Each round of the plan gets memory in the open cycle; if that is used up, the cycle ends and another
//     begins (engine/cycles.hpp). All ranks reserve amounts on which they have agreed, so all end a cycle at the same
//     put.
//  3. Schedule. The cycle's tiles have holders: the plan's owners, or ranks that the scheduler chooses when the cycle
//     begins (flow/flow.hpp).
//  4. Stage. The rank copies its elements into the holder's tile memory, if it can access that, else into a message
//     (engine/pending_puts.hpp).
//  5. Finish. The rank notes in its host's shared status that its pieces are in place, and sends its messages.
//  6. Forward. Messages arrive at holders on other hosts, which unpack their pieces (engine/transport.hpp).
//  7. Write. A holder fills the holes of its tiles and writes them to the file once all pieces are there: at once if it
//     is early, or in its background writer. Meanwhile the next cycles fill other tile buffers.
//
// No step waits for all ranks, unless a sink is collective. Errors are kept until all ranks agree on them: at new plans
// and at commits. A rank whose call was refused is out of sync; ranks that wait for it stop waiting, and agree. When
// all files have failed on all ranks, cycles, plans and layouts are brought into sync again.
//
// Thread: the thread of the rank's calls, under a Hold of progress_thread().
class Pipeline : private Agreement::OngoingWork {
 public:
  // Requires: `comm` has the model's ranks and the servers. All references outlive the pipeline. `link`: with a control
  // rank, the communicator of the model's ranks and that rank; else nullptr. `layouts`: those of all puts; a recovery
  // brings them into sync.
  // Collective over `comm`.
  Pipeline(std::shared_ptr<const Config> config, const Comm& comm, const Comm* link, Trace& trace, Layouts& layouts);

  // Puts one rank's elements.
  // Requires: the request is checked; its file, variable, record and key are the same on all ranks.
  // Ensures: the buffer is free (contract 2). Returns the values that did not fit their type.
  // Collective. Waits for all ranks where the plan is new, else as Cycles::put().
  // Errors: as KeptPlans::to_write().
  RangeFailure put(const PutRequest& request);
  // Notes that a record of the file is complete, as Cycles::end_record() and Advising::end_record(). Collective.
  void end_record(const OpenFile& file);
  // Writes what was put; `call` is for messages.
  // Ensures: this rank has written its tiles. A file's failure is noted; the next agreement stores it in the OpenFile
  // of all ranks, and other files go on.
  // Collective.
  void flush(std::string_view call = "") { cycles_.flush(call); }
  // As Cycles::drain().
  void drain() { cycles_.drain(); }
  // Forgets the file, which is freed next.
  // Requires: no pending write, and no put of the open cycle, is of the file.
  // Local.
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

  // The progress thread; nullptr if there is none. Each call of the rank has a Hold of it.
  ProgressThread* progress_thread() const noexcept { return progress_thread_.get(); }
  // Ends the threads after a timeout. No collective call is allowed afterwards, not even to free.
  // Ensures: false: a thread is still in a storage call, and nothing may be freed.
  // Local.
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
