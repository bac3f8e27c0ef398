// SPDX-License-Identifier: Apache-2.0
// The order of cycles: when one gets its memory, which ranks hold its tiles, and when they are written. Ranks put their
// pieces and continue; holders write when all pieces have arrived and they have time, or their writer thread does. Who
// holds is the control's answer: a unit's ranks that the scheduler chooses (Wang & Huang 2025, sections 3.2 to 3.4),
// or, where owners are fixed, those of the plan, each in its two tile buffers in turn: while one tile is written the
// other is filled. One text for a run and for its simulation, which give it two worlds (flow/world.hpp).
//
// Why nothing hangs: a rank that comes to cycle n has finished its pending writes of cycles up to n - window before it
// waits for anything else, and the window is so narrow that the cycles in it leave places free on some rank. So who
// waits for slots, for room in the send memory, or for pieces, waits only for ranks that have not come to this call
// yet; and they come, since a put is collective. What is sent is in MPI's hands, and needs its sender no more.
//
// Two hops. A rank that is told a relay does not wait for slots: it packs all its pieces, sends them to the relay, and
// goes on; the cycle stays *open* until its slots are known, as are those after it, so that pending writes are made in
// the order of cycles. A relay has a slot, and passes on what it gets once it knows the others'. Pieces that it has got
// and not passed on are not in MPI's hands: so no rank may leave a call in which another may wait for them. Therefore
// the slots' message says how many messages come to a relay, and its pending write is not complete before it has passed
// them on; and whatever wait a rank has for a cycle's pieces, all ranks have in the same call (begin and make_room with
// the same cycle, settle, and finish where nothing overlaps). Slots come by then too, since all ranks have offered the
// cycle, and the window leaves it places. A relay needs room for what it passes on, and waits for those who have not
// taken what it passed on before: that is of the same cycle or older ones, since it takes no message to pass on before
// those of older cycles, so the others are in this call for it or have not come; and what ends at a rank has room that
// does not wait for another rank.
//
// Calls come from the pipeline, in this order: begin, finish, begin, finish, ..., settle; a false answer: a rank of the
// host is out of sync. Errors that a wait's deadline brings are thrown. Pure: what takes time is the world's.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "flow/writing.hpp"

namespace weir {

class Flow {
 public:
  // All that is referred to outlives it.
  Flow(World& world, const FlowSetup& setup, Control& control);

  // Sees to it that the cycle has memory, and says who holds its tiles.
  bool begin(Cycle& cycle);
  // The messages of cycles up to this one are sent, so their memory can be used again.
  bool make_room(std::uint32_t cycle);
  // All of this rank's pieces of the cycle are put.
  bool finish(Cycle& cycle);
  // Everything this rank has to write is written.
  bool drain();
  // Receives what has come from other hosts and takes what the background writer has written; writes nothing.
  void listen();
  // Whether something is under way from other hosts or to them, or is to be written now.
  bool expects() const;
  // Whether a cycle of so many tile bytes (of the neediest rank) is to end though there is room for more.
  bool full(std::int64_t tile_bytes) const noexcept;
  // Whether tiles are written while the model computes, so that a cycle that ends early is hidden.
  bool in_background() const noexcept { return setup_.config.overlap != OverlapKind::none; }
  // This rank is out of sync: ranks that wait for it learn that. Until restart().
  void say_out_of_sync();
  // Runs `change` while nothing is written.
  void pause(const std::function<void()>& change) { writing_.pause(change); }
  // After a failure of all ranks: forgets what was begun; later begins anew after a cycle.
  void drop();
  void restart(std::uint32_t cycle);

 private:
  // Who holds the tiles of a cycle, or relays its pieces.
  bool await_slots(Cycle& cycle);
  bool learn_way(Cycle& cycle);
  bool learn_slots(Cycle& cycle);
  bool learn_relay(Cycle& cycle);

  // From a finished cycle to its pending write.
  void send(const Cycle& cycle, const PendingWrite& puts);
  bool pass_on(const Cycle& cycle, std::unique_ptr<PendingWrite> puts);
  void make_pending_writes();
  bool lay_out_anew(std::uint32_t cycle);

  // What this rank does in a call, or while it waits in one.
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
  struct Open {
    Cycle cycle;
    std::unique_ptr<PendingWrite> puts;
  };

  World& world_;
  FlowSetup setup_;
  Control& control_;
  std::uint32_t window_;
  std::uint32_t next_ = 0;  // the cycle this rank has come to
  bool out_of_sync_ = false;
  Writing writing_;
  std::vector<Open> open_;  // oldest first
};

}  // namespace weir
