// SPDX-License-Identifier: Apache-2.0
// The order of cycles: when a cycle gets its memory, which ranks hold its tiles, and when they are written
// (flow/writing.hpp). One text for a run and for the simulator, which give it two worlds (flow/world.hpp). Pure: the
// world does what takes time.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "flow/writing.hpp"

namespace weir {

// Ranks put their pieces and continue. Holders write a tile when all its pieces have arrived and they have time, or
// their writer thread does. The control says which ranks hold a cycle's tiles: ranks that the scheduler chooses (Wang &
// Huang 2025, sections 3.2 to 3.4), or the plan's owners, each in its tile buffers in turn.
//
// Why nothing hangs (contract 4). A rank that begins cycle n first finishes its pending writes of cycles up to n -
// window. The window is so narrow that the cycles in it leave tile buffers free on some rank. So a rank that waits for
// slots, for send memory or for pieces waits only for ranks that have not reached this call; they will, since a put is
// collective. A cycle of a series may wait for one rank's tile buffers (ScheduleParameters::waits_for_holders): that
// rank's background writer frees them, in a call or not, since the older cycles are released and all put. Messages
// under way are MPI's, and need no more from their sender.
//
// Two hops. A rank that has a relay does not wait for slots. It packs all its pieces, sends them to the relay, and
// continues. The cycle, and each later one, stays *unassigned* until its slots are known, so that pending writes are
// made in the order of cycles. A relay has a slot itself, and passes messages on once it knows the other slots. Until
// then these messages need the relay, so no rank may leave a call in which another may wait for them:
//
//  - The message with the slots says how many messages come to a relay. The relay's pending write is complete only when
//    it has passed them on.
//  - The calls that wait for a cycle's pieces are begin(), make_room(), drain(), and finish() without overlap. All
//    ranks make them in the same order for the same cycles. So a rank that waits for pieces finds the others in the
//    same call, or they will come to it. The slots arrive there, since all ranks have offered the cycle and the window
//    leaves tile buffers free.
//  - A relay waits for room until the holders have taken what it passed on before. That belongs to the same cycle or to
//    older ones, so the holders are in this call too, or have not reached it. Pieces that end at a rank have room that
//    does not wait for other ranks.
//
// Calls come in this order: begin, finish, begin, finish, ..., drain; make_room() at any time between begin and finish.
// begin(), make_room(), finish() and drain() return false if this rank, or a rank that it waits for, is out of sync;
// the caller then agrees with all ranks.
// Thread: the thread of the rank's calls; listen() and expects() also the progress thread, between those calls
// (engine/background_threads.hpp).
// Errors: WEIR_ETIMEOUT, thrown.
class Flow {
 public:
  // All arguments outlive the flow.
  Flow(World& world, const FlowSetup& setup, Control& control);

  // Begins a cycle: finishes pending writes out of the window, and waits for slots or a relay.
  // Ensures: true: the cycle has tile memory, and knows where its pieces go.
  bool begin(Cycle& cycle);
  // Waits until this rank has written its tiles of cycles up to this one, and its messages were taken, so that their
  // memory can be used again.
  bool make_room(std::uint32_t cycle);
  // Ends a cycle: sends this rank's pieces, makes its pending write, and without overlap writes it.
  // Requires: all of this rank's pieces of the cycle are put.
  bool finish(Cycle& cycle);
  // Waits until this rank has written everything and its messages were taken.
  bool drain();
  // Receives what has arrived from other hosts. Writes nothing and does not wait.
  void listen();
  // Whether messages are under way, or a tile is to be written now.
  bool expects() const;
  // Whether an open cycle ends though there is room. `tile_bytes`: of the rank that needs most.
  bool full(const Cycle& cycle, std::int64_t tile_bytes) const noexcept;
  // Whether tiles are written outside the put that fills them (`overlap: slack` or `background`), so that it costs
  // nothing to end a cycle early.
  bool overlaps() const noexcept { return setup_.config.overlap != OverlapKind::none; }
  // Tells the ranks that wait for this rank that it is out of sync, until restart().
  void say_out_of_sync();
  // Runs `change` while nothing is written.
  void pause(const std::function<void()>& change) { writing_.pause(change); }
  // After a failure of all files: drop() drops all cycles, restart() begins anew after `cycle`.
  void drop();
  void restart(std::uint32_t cycle);

 private:
  // The holders of a cycle's tiles, or the relay of its pieces. A rank that was given a relay uses it even if the slots
  // are known by now, since the relay waits for the message.
  bool await_slots(Cycle& cycle);
  bool learn_way(Cycle& cycle);
  bool learn_slots(Cycle& cycle);
  bool learn_relay(Cycle& cycle);

  // From a finished cycle to its pending write.
  void send(const Cycle& cycle, const PendingWrite& puts);
  bool pass_on(const Cycle& cycle, std::unique_ptr<PendingWrite> puts);
  void make_pending_writes();
  bool lay_out_anew(std::uint32_t cycle);

  // What this rank does in a call, or while it waits in one: receives, and writes if it is early (`overlap: slack`).
  void go_on();
  void receive();
  void follow_release();

  // Waits.
  bool retire(std::uint32_t cycle);
  bool write_collectively(std::uint32_t cycle);
  bool await_pending_writes(std::uint32_t cycle);
  bool await_pieces(const PendingWrite& pending);
  bool send_all(std::uint32_t cycle);
  template <class Holds>
  bool until(Awaited what, std::uint32_t cycle, const PendingWrite* pending, Holds holds);

  // A cycle that is finished, but whose holders this rank does not know yet.
  struct Unassigned {
    Cycle cycle;
    std::unique_ptr<PendingWrite> puts;
  };

  World& world_;
  FlowSetup setup_;
  Control& control_;
  std::uint32_t window_;
  std::uint32_t next_ = 0;  // the cycle that this rank has reached
  bool out_of_sync_ = false;
  Writing writing_;
  std::vector<Unassigned> unassigned_;  // oldest first
};

}  // namespace weir
