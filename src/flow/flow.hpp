// SPDX-License-Identifier: Apache-2.0
// How cycles follow one another: when one has its memory, and when its tiles are written. Two kinds:
//   fixed    the plan says which rank owns which tile. A cycle lasts until memory is full; its owners then wait for the
//            others, receive, and write. Two places a rank: while one tile is written the other is filled.
//   dynamic  a cycle is a unit of the scheduler, which says who holds its tiles. Ranks put their pieces and go on;
//            holders write when all pieces are there and they have time, or their writer thread does.
//
// Why nothing hangs: a rank that comes to cycle n has done its duties of cycles up to n - window before it waits for
// anything else, and the window is so narrow that the cycles in it leave places free on somebody. So who waits for
// seats, for room in the send memory, or for pieces, waits only for ranks that have not come to this call yet; and they
// come, since a put is collective. What is sent is in MPI's hands, and needs its sender no more.
//
// Two hops. A rank that is told a relay does not wait for seats: it packs all its pieces, sends them to the relay, and
// goes on; the cycle stays *open* until its seats are known, as are those after it, so that duties are made in the
// order of cycles. A relay has a seat, and passes on what it gets once it knows the others'. Pieces that it has got and
// not passed on are not in MPI's hands: so no rank may leave a call in which another may wait for them. Therefore the
// seats' message says how many parcels come to a relay, and its duty is not complete before it has passed them on; and
// whatever wait a rank has for a cycle's pieces, all ranks have in the same call (begin and make_room with the same
// cycle, settle, and finish where nothing overlaps). Seats come by then too, since all ranks have offered the cycle,
// and the window leaves it places. A relay needs room for what it passes on, and waits for those who have not taken
// what it passed on before: that is of the same cycle or older ones, since it takes no parcel to pass on before those
// of older cycles, so the others are in this call for it or have not come; and what ends at a rank has room that waits
// for nobody.
//
// Calls come from the pipeline, in this order: begin, finish, begin, finish, ..., settle; a false answer: a rank of the
// host has lost step. Errors that a wait's deadline brings are thrown.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/config.hpp"
#include "base/tally.hpp"
#include "base/trace.hpp"
#include "control/control.hpp"
#include "flow/storage_calls.hpp"
#include "mpi/board.hpp"
#include "mpi/comm.hpp"
#include "put/duty.hpp"
#include "put/reach.hpp"
#include "put/staging.hpp"

namespace weir {

// What flows work with; the pipeline's, and outlives them.
struct FlowParts {
  const Config& config;
  const Comm& comm;
  const Machine& machine;
  const Reach& reach;
  Staging& staging;
  Board& board;
  Tally& tally;
  Trace& trace;
  std::vector<Status>& noted;  // failures of this rank, for the next meeting
  RollCall& roll_call;
  StorageCalls& storage;

  Deadline deadline() const noexcept { return Deadline(config.timeout_seconds, &roll_call); }
  // Writes the duty, by `write`, while the rank waits for it.
  template <class Write>
  void write_and_wait(const Duty& duty, Write write) const {
    if (!stores(duty)) return write();
    static_cast<void>(storage.run([write] { return write(), Status(); }, deadline(), "a write"));
  }
};

class Flow {
 public:
  virtual ~Flow() = default;
  // Sees to it that the cycle has memory, and says who holds its tiles.
  [[nodiscard]] virtual bool begin(Cycle& cycle) = 0;
  // The messages of cycles up to this one are sent, so their memory can be used again.
  [[nodiscard]] virtual bool make_room(std::uint32_t cycle) = 0;
  // All of this rank's pieces of the cycle are put.
  [[nodiscard]] virtual bool finish(Cycle& cycle) = 0;
  // Everything this rank has to write is written.
  [[nodiscard]] virtual bool settle() = 0;
  // Whether a cycle of so many tile bytes (of the neediest rank) is to end though there is room for more.
  virtual bool full(std::int64_t tile_bytes) const noexcept = 0;
  // Whether tiles are written while the model computes, so that a cycle that ends early is hidden.
  virtual bool beside() const noexcept = 0;
  // Does what can be done without waiting.
  virtual void progress() = 0;
  // Takes what has come from other hosts; writes nothing.
  virtual void listen() {}
  // Whether something is under way from other hosts or to them, or is to be written now.
  virtual bool expects() const { return false; }
  // This rank has lost step: who waits for it elsewhere than on its host is told, too.
  virtual void say_lost() {}
  // Runs `change` while nothing is written.
  virtual void pause(const std::function<void()>& change) = 0;
  // Plans go: nothing of them is under way on any rank. All ranks call it.
  virtual void forget_plans() {}
  // Memory that goes by that: what is known of other ranks' plans.
  virtual std::int64_t recipe_bytes() const noexcept { return 0; }
  // After a failure of all ranks: forgets what was begun; all ranks meet between the two halves.
  virtual void end(std::uint32_t cycle) = 0;
  virtual void restart(std::uint32_t cycle) = 0;
  // After a timeout: no MPI any more. False where a writer thread is in a write that does not end.
  [[nodiscard]] virtual bool abandon() noexcept = 0;
  // For the report: messages and bytes forwarded, messages of them that went to a relay, messages to the scheduler.
  virtual std::int64_t messages() const noexcept = 0;
  virtual std::int64_t relayed() const noexcept { return 0; }
  virtual std::int64_t message_bytes() const noexcept = 0;
  virtual std::int64_t control_messages() const noexcept = 0;
};

std::unique_ptr<Flow> make_fixed_flow(const FlowParts& parts);
// seats: of a unit; window: cycles in flight, at most. Collective over the parts' communicator.
std::unique_ptr<Flow> make_dynamic_flow(const FlowParts& parts, std::unique_ptr<Control> control, int seats,
                                        int window);

}  // namespace weir
