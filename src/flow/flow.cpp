// SPDX-License-Identifier: Apache-2.0
#include "flow/flow.hpp"

#include <utility>

#include "memory/memory_budget.hpp"

namespace weir {

Flow::Flow(World& world, const FlowSetup& setup, Control& control)
    : world_(world),
      setup_(setup),
      control_(control),
      window_(static_cast<std::uint32_t>(setup.window)),
      writing_(world, setup, control),
      open_(world, control, writing_),
      progress_(world, setup, control, open_, writing_) {}

Task<bool> Flow::begin(Cycle& cycle) {
  next_ = cycle.number;
  if (progress_.out_of_sync()) co_return false;
  const std::uint32_t out_of_window = cycle.number - window_;
  const bool retired = co_await retire(out_of_window);
  if (!retired) co_return false;
  co_await progress_.go_on(next_);
  if (control_.by_window()) {
    const auto written = [this, out_of_window] { return world_.all_written(out_of_window); };
    const bool free = co_await until(Awaited::window, out_of_window, nullptr, written);
    if (!free) co_return false;
  }
  const bool assigned = co_await await_slots(cycle);
  co_return assigned;
}

Task<bool> Flow::make_room(std::uint32_t cycle) {
  const bool retired = co_await retire(cycle);
  if (!retired) co_return false;
  const bool sent = co_await send_all(cycle);
  co_return sent;
}

Task<bool> Flow::finish(Cycle& cycle) {
  if (progress_.out_of_sync()) co_return false;
  std::unique_ptr<PendingWrite> puts = writing_.take_puts(cycle.number);
  const bool collective = world_.collective(*puts);
  send(cycle, *puts);
  world_.say_put(cycle.number);
  bool in_sync = co_await pass_on(cycle, std::move(puts));
  if (!in_sync) co_return false;
  if (collective) {
    in_sync = co_await write_collectively(cycle.number);
  } else if (!beside()) {
    in_sync = co_await retire(cycle.number);
    co_return in_sync;
  }
  if (!in_sync) co_return false;
  // Not between hosts, where others wait for what this rank sends.
  if (writing_.beside() && setup_.machine.hosts() == 1) world_.let_beside_run();
  co_await progress_.go_on(next_);
  co_return true;
}

void Flow::send(const Cycle& cycle, const PendingWrite& puts) {
  const Timed timed(world_, Account::forward, next_);
  if (cycle.relay < 0) world_.send(cycle, puts);
  if (cycle.given_away(world_.rank())) world_.send_to_relay(cycle, puts);
}

// From the rank's hands to its pending writes. Only those who have not heard who holds the tiles keep the cycle.
Task<bool> Flow::pass_on(const Cycle& cycle, std::unique_ptr<PendingWrite> puts) {
  if (!open_.empty() || cycle.relay >= 0) {
    open_.add(cycle, std::move(puts));
    open_.make_pending_writes();
    return Task<bool>::of(true);
  }
  const bool begun = writing_.add(cycle, std::move(puts));
  control_.settled(cycle.number);
  return begun ? Task<bool>::of(true) : lay_out_anew(cycle.number);
}

// For the latest pending write: older ones are of the file as it was.
Task<bool> Flow::lay_out_anew(std::uint32_t cycle) {
  const bool retired = co_await retire(cycle - 1);
  if (retired) writing_.prepare();
  co_return retired;
}

Task<bool> Flow::settle() {
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
Task<bool> Flow::await_slots(Cycle& cycle) {
  open_.begin(cycle);
  return until(Awaited::slots, cycle.number, nullptr, [this, &cycle] { return open_.learn_way(cycle); });
}

// Finishes this rank's pending writes up to a cycle, waiting for the pieces that are missing. False where a rank is out
// of sync.
Task<bool> Flow::retire(std::uint32_t cycle) {
  const bool made = open_.made(cycle);
  if (!made || !writing_.pending_writes().empty()) return retire_pending_writes(cycle);
  writing_.take_done();
  return Task<bool>::of(true);
}

Task<bool> Flow::retire_pending_writes(std::uint32_t cycle) {
  const bool made = co_await await_pending_writes(cycle);
  if (!made) co_return false;
  writing_.take_done();
  while (!writing_.pending_writes().empty() && !later(writing_.pending_writes().front()->cycle, cycle)) {
    PendingWrite& pending = *writing_.pending_writes().front();
    pending.forced = true;
    writing_.look_again();
    const bool complete = co_await await_pieces(pending);
    if (!complete) co_return false;
    co_await writing_.write_oldest();
  }
  co_return true;
}

// All ranks have a pending write, if only to take part.
Task<bool> Flow::write_collectively(std::uint32_t cycle) {
  const bool retired = co_await retire(cycle - 1);
  if (!retired) co_return false;
  const bool made = co_await await_pending_writes(cycle);
  if (!made) co_return false;
  const bool complete = co_await await_pieces(*writing_.pending_writes().back());
  if (!complete) co_return false;
  co_await writing_.write_together();
  co_return true;
}

Task<bool> Flow::await_pending_writes(std::uint32_t cycle) {
  const auto made = [this, cycle] { return open_.made(cycle); };
  return until(Awaited::assignment, open_.oldest(cycle), nullptr, made);
}

Task<bool> Flow::await_pieces(const PendingWrite& pending) {
  return until(Awaited::pieces, pending.cycle, &pending, [this, &pending] { return writing_.complete(pending); });
}

Task<bool> Flow::send_all(std::uint32_t cycle) {
  return until(Awaited::sent, cycle, nullptr, [this, cycle] { return world_.sent(cycle); });
}

template <class Holds>
Task<bool> Flow::until(Awaited what, std::uint32_t cycle, const PendingWrite* pending, Holds holds) {
  return holds() ? Task<bool>::of(true) : wait_until(what, cycle, pending, holds);
}

// Waits, and takes what comes meanwhile; who waits for the others' coming may write, too. False where what is awaited
// will never be.
template <class Holds>
Task<bool> Flow::wait_until(Awaited what, std::uint32_t cycle, const PendingWrite* pending, Holds holds) {
  const bool others = what == Awaited::slots || what == Awaited::window;
  const bool slots = what == Awaited::slots || what == Awaited::assignment;
  const Timed timed(world_, Account::wait, next_);
  for (Wait wait{what, cycle, pending, world_.deadline()};;) {
    if (others)
      co_await progress_.go_on(next_);
    else
      co_await progress_.receive();
    if (holds()) co_return true;
    if (progress_.parted(slots ? cycle - 1 : cycle)) co_return false;
    co_await world_.pause(wait);
    if (holds()) co_return true;
  }
}

}  // namespace weir
