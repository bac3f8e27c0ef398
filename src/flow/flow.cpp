// SPDX-License-Identifier: Apache-2.0
#include "flow/flow.hpp"

#include <optional>
#include <utility>

#include "schedule/memory_budget.hpp"

namespace weir {

Flow::Flow(World& world, const FlowSetup& setup, Control& control)
    : world_(world),
      setup_(setup),
      control_(control),
      window_(static_cast<std::uint32_t>(setup.window)),
      writing_(world, setup, control) {}

bool Flow::begin(Cycle& cycle) {
  next_ = cycle.number;
  if (out_of_sync_) return false;
  const std::uint32_t out_of_window = cycle.number - window_;
  if (!retire(out_of_window)) return false;
  go_on();
  if (control_.frees_by_window()) {
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
  if (out_of_sync_) return false;
  std::unique_ptr<PendingWrite> puts = writing_.take_puts(cycle.number);
  const bool collective = puts->collective;
  send(cycle, *puts);
  world_.say_put(cycle.number);
  if (!pass_on(cycle, std::move(puts))) return false;
  if (collective) {
    if (!write_collectively(cycle.number)) return false;
  } else if (!overlaps()) {
    return retire(cycle.number);
  }
  // Not between hosts, where others wait for what this rank sends.
  if (writing_.has_writer_thread() && setup_.machine.hosts() == 1) world_.yield_to_background_writer();
  go_on();
  return true;
}

void Flow::send(const Cycle& cycle, const PendingWrite& puts) {
  const Timed timed(world_, Account::forward, next_);
  if (cycle.relay != world_.rank()) world_.send(cycle, puts);
}

// From a finished cycle to its pending write. The cycle stays unassigned if this rank does not know its slots yet, or
// those of an older one.
bool Flow::pass_on(const Cycle& cycle, std::unique_ptr<PendingWrite> puts) {
  if (!unassigned_.empty() || cycle.relay >= 0) {
    unassigned_.push_back({cycle, std::move(puts)});
    make_pending_writes();
    return true;
  }
  const bool begun = writing_.add(cycle, std::move(puts));
  control_.forget_up_to(cycle.number);
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

bool Flow::full(const Cycle& cycle, std::int64_t tile_bytes) const noexcept {
  return cycle_is_full(tile_bytes, cycle.fixed, cycle.series, setup_.config);
}

bool Flow::expects() const {
  return !out_of_sync_ && (!unassigned_.empty() || world_.sending() || writing_.under_way());
}

void Flow::drop() {
  unassigned_.clear();
  writing_.drop();
}

void Flow::restart(std::uint32_t cycle) {
  next_ = cycle;
  out_of_sync_ = false;
  writing_.restart(cycle);
}

// Until it is known who holds the tiles of this cycle, or who relays its pieces. The scheduler learns what the cycle
// wants, where that is not known yet.
bool Flow::await_slots(Cycle& cycle) {
  cycle.fixed = control_.fixed();
  cycle.tile_buffer = static_cast<int>(cycle.number % fewest_tile_buffers);
  cycle.slots = {};
  cycle.relay = -1;
  if (!learn_slots(cycle)) {
    world_.mark(Mark::offered, {.number = cycle.number});
    control_.offer(cycle.number, cycle.wanted, cycle.series);
  }
  return until(Awaited::slots, cycle.number, nullptr, [this, &cycle] { return learn_way(cycle); });
}

bool Flow::learn_way(Cycle& cycle) {
  const bool slots = learn_slots(cycle);
  return learn_relay(cycle) || slots;
}

bool Flow::learn_slots(Cycle& cycle) {
  if (cycle.assigned()) return true;
  cycle.slots = control_.slots(cycle.number);
  if (cycle.slots.empty()) return false;
  world_.mark(Mark::assigned, {.number = cycle.number, .peer = cycle.slots.front().rank});
  return true;
}

bool Flow::learn_relay(Cycle& cycle) {
  const std::optional<int> relay = control_.relay(cycle.number);
  if (!relay) return false;
  cycle.relay = *relay;
  world_.mark(Mark::relay, {.number = cycle.number, .peer = *relay});
  return true;
}

// Of the unassigned cycles whose slots are known by now, in their order. What this rank kept of one goes to the
// holders.
void Flow::make_pending_writes() {
  while (!unassigned_.empty() && learn_slots(unassigned_.front().cycle)) {
    Unassigned& oldest = unassigned_.front();
    if (oldest.cycle.relay == world_.rank()) world_.send(oldest.cycle, *oldest.puts);
    require(writing_.add(oldest.cycle, std::move(oldest.puts)), WEIR_EINTERNAL,
            "a file is laid out anew under two hops");
    control_.forget_up_to(oldest.cycle.number);
    unassigned_.erase(unassigned_.begin());
  }
}

void Flow::say_out_of_sync() {
  out_of_sync_ = true;
  world_.say_out_of_sync();
}

void Flow::listen() {
  receive();
  writing_.take_done();
}

// With overlap: slack a rank that is early writes what may be written. A rank that comes last leaves that to its next,
// earlier coming: no rank would wait for it now.
void Flow::go_on() {
  listen();
  if (setup_.config.overlap == OverlapKind::slack && !world_.all_others_put(next_)) writing_.write_ready();
}

void Flow::receive() {
  world_.listen();
  make_pending_writes();
  bool relay = true;  // not before what older cycles have to pass on
  for (const auto& pending : writing_.pending_writes()) {
    const std::int64_t before = pending->missing.load(std::memory_order_relaxed);
    if (before > 0) {
      if (Status failure = world_.receive(*pending, relay); !failure.ok()) {
        // Pieces of something else than this rank has put: nothing can be made of the cycle.
        world_.note(std::move(failure));
        say_out_of_sync();
      }
      if (pending->missing == 0) writing_.notify();
    }
    relay = relay && pending->relayed == 0;
  }
  if (writing_.has_writer_thread() && !control_.thread_safe()) follow_release();
}

// For the background writer, which cannot ask the scheduler.
void Flow::follow_release() {
  const std::int64_t released = control_.released();
  if (!writing_.release(released)) return;
  world_.mark(Mark::released, {.number = released});
  writing_.notify();
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
  const auto made = [this, cycle] { return unassigned_.empty() || later(unassigned_.front().cycle.number, cycle); };
  const std::uint32_t oldest = unassigned_.empty() ? cycle : unassigned_.front().cycle.number;
  return until(Awaited::assignment, oldest, nullptr, made);
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
    others ? go_on() : receive();
    if (holds()) return true;
    if (out_of_sync_ || world_.has_diverged(slots ? cycle - 1 : cycle)) return false;
    world_.pause(wait);
    if (holds()) return true;
  }
}

}  // namespace weir
