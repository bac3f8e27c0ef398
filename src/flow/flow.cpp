// SPDX-License-Identifier: Apache-2.0
#include "flow/flow.hpp"

#include <utility>

#include "schedule/memory_budget.hpp"

namespace weir {

Flow::Flow(World& world, const FlowSetup& setup, Control& control)
    : world_(world),
      setup_(setup),
      control_(control),
      window_(static_cast<std::uint32_t>(setup.window)),
      writing_(world, setup, control),
      open_(world, control, writing_),
      progress_(world, setup, control, open_, writing_) {}

bool Flow::begin(Cycle& cycle) {
  next_ = cycle.number;
  if (progress_.out_of_sync()) return false;
  const std::uint32_t out_of_window = cycle.number - window_;
  if (!retire(out_of_window)) return false;
  progress_.go_on(next_);
  if (control_.by_window()) {
    const auto written = [this, out_of_window] { return world_.all_written(out_of_window); };
    if (!until(Awaited::window, out_of_window, nullptr, written)) return false;
  }
  return await_slots(cycle);
}

bool Flow::make_room(std::uint32_t cycle) {
  if (!retire(cycle)) return false;
  return send_all(cycle);
}

bool Flow::finish(Cycle& cycle) {
  if (progress_.out_of_sync()) return false;
  std::unique_ptr<PendingWrite> puts = writing_.take_puts(cycle.number);
  const bool collective = puts->collective;
  send(cycle, *puts);
  world_.say_put(cycle.number);
  if (!pass_on(cycle, std::move(puts))) return false;
  if (collective) {
    if (!write_collectively(cycle.number)) return false;
  } else if (!in_background()) {
    return retire(cycle.number);
  }
  // Not between hosts, where others wait for what this rank sends.
  if (writing_.in_background() && setup_.machine.hosts() == 1) world_.yield_to_background_writer();
  progress_.go_on(next_);
  return true;
}

void Flow::send(const Cycle& cycle, const PendingWrite& puts) {
  const Timed timed(world_, Account::forward, next_);
  if (cycle.relay != world_.rank()) world_.send(cycle, puts);
}

// From the rank's hands to its pending writes. Only those who have not heard who holds the tiles keep the cycle.
bool Flow::pass_on(const Cycle& cycle, std::unique_ptr<PendingWrite> puts) {
  if (!open_.empty() || cycle.relay >= 0) {
    open_.add(cycle, std::move(puts));
    open_.make_pending_writes();
    return true;
  }
  const bool begun = writing_.add(cycle, std::move(puts));
  control_.settled(cycle.number);
  return begun ? true : lay_out_anew(cycle.number);
}

// For the latest pending write: older ones are of the file as it was.
bool Flow::lay_out_anew(std::uint32_t cycle) {
  const bool retired = retire(cycle - 1);
  if (retired) writing_.prepare();
  return retired;
}

bool Flow::drain() {
  world_.mark(Mark::released, {.number = next_});
  control_.release(next_);
  return make_room(next_);
}

bool Flow::full(std::int64_t tile_bytes) const noexcept {
  return cycle_is_full(tile_bytes, control_.fixed(), setup_.config);
}

bool Flow::expects() const {
  return !progress_.out_of_sync() && (!open_.empty() || world_.sending() || writing_.under_way());
}

void Flow::drop() {
  open_.drop();
  writing_.drop();
}

void Flow::restart(std::uint32_t cycle) {
  next_ = cycle;
  progress_.restart();
  writing_.restart(cycle);
}

// Until it is known who holds the tiles of this cycle, or who relays its pieces.
bool Flow::await_slots(Cycle& cycle) {
  open_.begin(cycle);
  return until(Awaited::slots, cycle.number, nullptr, [this, &cycle] { return open_.learn_way(cycle); });
}

// Finishes this rank's pending writes up to a cycle, waiting for the pieces that are missing. False where a rank is out
// of sync.
bool Flow::retire(std::uint32_t cycle) {
  if (!await_pending_writes(cycle)) return false;
  writing_.take_done();
  while (!writing_.pending_writes().empty() && !later(writing_.pending_writes().front()->cycle, cycle)) {
    PendingWrite& pending = *writing_.pending_writes().front();
    pending.forced = true;
    writing_.notify();
    if (!await_pieces(pending)) return false;
    writing_.write_oldest();
  }
  return true;
}

// All ranks have a pending write, if only to take part.
bool Flow::write_collectively(std::uint32_t cycle) {
  if (!retire(cycle - 1)) return false;
  if (!await_pending_writes(cycle)) return false;
  if (!await_pieces(*writing_.pending_writes().back())) return false;
  writing_.write_together();
  return true;
}

bool Flow::await_pending_writes(std::uint32_t cycle) {
  const auto made = [this, cycle] { return open_.made(cycle); };
  return until(Awaited::assignment, open_.oldest(cycle), nullptr, made);
}

bool Flow::await_pieces(const PendingWrite& pending) {
  return until(Awaited::pieces, pending.cycle, &pending, [this, &pending] { return writing_.complete(pending); });
}

bool Flow::send_all(std::uint32_t cycle) {
  return until(Awaited::sent, cycle, nullptr, [this, cycle] { return world_.sent(cycle); });
}

// Waits, and takes what comes meanwhile; who waits for the others' coming may write, too. False where what is awaited
// will never be.
template <class Holds>
bool Flow::until(Awaited what, std::uint32_t cycle, const PendingWrite* pending, Holds holds) {
  if (holds()) return true;
  const bool others = what == Awaited::slots || what == Awaited::window;
  const bool slots = what == Awaited::slots || what == Awaited::assignment;
  const Timed timed(world_, Account::wait, next_);
  for (Wait wait{what, cycle, pending, world_.deadline()};;) {
    if (others)
      progress_.go_on(next_);
    else
      progress_.receive();
    if (holds()) return true;
    if (progress_.has_diverged(slots ? cycle - 1 : cycle)) return false;
    world_.pause(wait);
    if (holds()) return true;
  }
}

}  // namespace weir
