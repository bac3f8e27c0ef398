// SPDX-License-Identifier: Apache-2.0
#include "flow/flow.hpp"

#include <utility>

namespace weir {

Flow::Flow(const FlowParts& parts, std::unique_ptr<Control> control, int seats, int window)
    : parts_(parts),
      control_(std::move(control)),
      seats_(seats),
      window_(static_cast<std::uint32_t>(window)),
      courier_(parts.comm, parts.reach, parts.staging, {parts.trace, parts.tally}, parts.deadline()),
      writing_(parts, *control_) {}

bool Flow::begin(Cycle& cycle) {
  next_ = cycle.number;
  if (lost_) return false;
  if (!retire(cycle.number - window_)) return false;
  progress();
  if (control_->by_window() && !await_window(cycle.number - window_)) return false;
  return seat(cycle);
}

void Flow::say_lost() {
  lost_ = true;
  courier_.ring();
}

bool Flow::make_room(std::uint32_t cycle) {
  return retire(cycle) && send_all(cycle);
}

bool Flow::finish(Cycle& cycle) {
  if (lost_) return false;
  parts_.staging.synchronize();
  {
    const Span span(parts_.trace.main(), Step::forward, parts_.tally.forward_seconds, {.number = next_});
    if (cycle.relay < 0) courier_.send(cycle);
    if (cycle.relay >= 0 && cycle.relay != parts_.comm.rank()) courier_.send_to_relay(cycle);
  }
  parts_.board.say_put(cycle.number);
  if (!pass_on(cycle)) return false;
  const bool collective = cycle.batch.writes_collectively();
  if (collective && !write_collectively(cycle.number)) return false;
  if (!collective && !beside()) return retire(cycle.number);
  // Not between hosts, where others wait for what this rank sends.
  if (writing_.by_thread() && parts_.machine.hosts() == 1) WriterThread::let_it_run();
  progress();
  return true;
}

// From the rank's hands to its duties. Only those who have not heard who holds the tiles keep the cycle.
bool Flow::pass_on(const Cycle& cycle) {
  const std::int64_t tile_bytes = parts_.staging.tile_bytes();
  if (!open_.empty() || cycle.relay >= 0) {
    open_.push_back({cycle, tile_bytes});
    make_duties();
    return true;
  }
  const bool begun = writing_.add(cycle, tile_bytes);
  control_->settled(cycle.number);
  if (begun) return true;
  if (!retire(cycle.number - 1)) return false;
  writing_.prepare();
  return true;
}

bool Flow::settle() {
  parts_.trace.main().mark(Mark::released, {.number = next_});
  control_->release(next_);
  return retire(next_) && send_all(next_);
}

bool Flow::full(std::int64_t tile_bytes) const noexcept {
  return !control_->fixed() && unit_is_full(tile_bytes, parts_.config);
}

// A rank that comes last leaves the writing to its next, earlier coming: nobody would wait for it now.
void Flow::progress() {
  listen();
  if (parts_.config.overlap == OverlapKind::slack && !parts_.board.all_others_put(next_)) writing_.write_what_may_be();
}

void Flow::listen() {
  receive();
  writing_.take_done();
}

bool Flow::expects() const {
  return !lost_ && (!open_.empty() || courier_.sending() || writing_.under_way());
}

void Flow::end(std::uint32_t cycle) {
  open_.clear();
  writing_.drop();
  courier_.drain(parts_.deadline());
  control_->end(cycle);
}

void Flow::restart(std::uint32_t cycle) {
  next_ = cycle;
  lost_ = false;
  writing_.restart(cycle);
  control_->restart(cycle);
  parts_.staging.give_back(cycle);
}

bool Flow::abandon() noexcept {
  control_->abandon();
  courier_.abandon();
  return writing_.abandon();
}

// Until it is known who holds the tiles of this cycle, or who relays its pieces.
bool Flow::seat(Cycle& cycle) {
  cycle.fixed = control_->fixed();
  cycle.place = static_cast<int>(cycle.number % fewest_places);
  cycle.seats.clear();
  cycle.relay = -1;
  if (!learn_seats(cycle)) {
    parts_.trace.main().mark(Mark::offered, {.number = cycle.number});
    control_->offer(cycle.number, seats_);
  }
  if (learn_way(cycle)) return true;
  const Span span = waiting();
  const Deadline deadline = parts_.deadline();
  for (Patience patience; !learn_way(cycle); pause(patience)) {
    if (!may_go_on(cycle.number, deadline)) return false;
    progress();
  }
  return true;
}

// The relay that this rank was told counts on its parcel, though the seats be known by now.
bool Flow::learn_way(Cycle& cycle) {
  const bool seats = learn_seats(cycle);
  return learn_relay(cycle) || seats;
}

bool Flow::learn_seats(Cycle& cycle) {
  if (cycle.manned()) return true;
  if (!control_->seats(cycle.number, cycle.seats)) return false;
  parts_.trace.main().mark(Mark::manned, {.number = cycle.number, .peer = cycle.seats.front().rank});
  return true;
}

bool Flow::learn_relay(Cycle& cycle) {
  const std::optional<int> relay = control_->relay(cycle.number);
  if (!relay) return false;
  cycle.relay = *relay;
  parts_.trace.main().mark(Mark::relay, {.number = cycle.number, .peer = *relay});
  return true;
}

// Of the open cycles whose seats are known, in their order. What this rank kept of one goes to the holders now.
void Flow::make_duties() {
  while (!open_.empty() && learn_seats(open_.front().cycle)) {
    const Cycle& cycle = open_.front().cycle;
    if (cycle.relay == parts_.comm.rank()) courier_.send(cycle);
    require(writing_.add(cycle, open_.front().tile_bytes), WEIR_EINTERNAL, "a file is laid out anew under two hops");
    control_->settled(cycle.number);
    open_.erase(open_.begin());
  }
}

void Flow::receive() {
  courier_.listen();
  make_duties();
  bool relay = true;  // not before what older cycles have to pass on
  for (const auto& duty : writing_.duties()) {
    const std::int64_t before = duty->missing;
    Status status = courier_.receive(*duty, relay);
    if (!status.ok()) lose_step(std::move(status));
    relay = relay && duty->relayed == 0;
    if (before > 0 && duty->missing == 0) writing_.look_again();
  }
  if (writing_.by_thread() && !control_->from_thread()) follow_release();
}

// For the thread, which cannot ask the scheduler.
void Flow::follow_release() {
  const std::int64_t released = control_->released();
  if (!writing_.release(released)) return;
  parts_.trace.main().mark(Mark::released, {.number = released});
  writing_.look_again();
}

// Pieces of something else than this rank has put: nothing can be made of the cycle.
void Flow::lose_step(Status status) {
  parts_.noted.push_back(std::move(status));
  parts_.board.say_lost();
  say_lost();
}

// Does this rank's duties up to a cycle, waiting for the pieces that are missing. False where a rank has lost step.
bool Flow::retire(std::uint32_t cycle) {
  if (!await_duties(cycle)) return false;
  writing_.take_done();
  while (!writing_.duties().empty() && !later(writing_.duties().front().cycle, cycle)) {
    Duty& duty = writing_.duties().front();
    duty.forced = true;
    writing_.look_again();
    if (!await_pieces(duty)) return false;
    writing_.write_oldest();
  }
  return true;
}

// All ranks have a duty, if only to take part.
bool Flow::write_collectively(std::uint32_t cycle) {
  if (!retire(cycle - 1) || !await_duties(cycle)) return false;
  if (!await_pieces(writing_.duties().back())) return false;
  writing_.write_together();
  return true;
}

bool Flow::await_duties(std::uint32_t cycle) {
  if (open_.empty() || later(open_.front().cycle.number, cycle)) return true;
  const Span span = waiting();
  const Deadline deadline = parts_.deadline();
  for (Patience patience; !open_.empty() && !later(open_.front().cycle.number, cycle); pause(patience)) {
    if (!may_go_on(open_.front().cycle.number, deadline)) return false;
    receive();
  }
  return true;
}

// Until the ranks of this host have done their duties up to a cycle.
bool Flow::await_window(std::uint32_t cycle) {
  if (parts_.board.all_written(cycle)) return true;
  const Span span = waiting();
  const Deadline deadline = parts_.deadline();
  for (Patience patience; !parts_.board.all_written(cycle); pause(patience)) {
    if (parted(cycle)) return false;
    progress();
    require(!deadline.passed(), WEIR_ETIMEOUT, [&] { return not_written(cycle, parts_.board, deadline); });
  }
  return true;
}

bool Flow::await_pieces(Duty& duty) {
  if (duty.complete(parts_.board)) return true;
  const Span span = waiting();
  const Deadline deadline = parts_.deadline();
  for (Patience patience; !duty.complete(parts_.board); pause(patience)) {
    receive();
    if (duty.complete(parts_.board)) break;
    if (parted(duty.cycle)) return false;
    require(!deadline.passed(), WEIR_ETIMEOUT, [&] { return incomplete(duty, parts_.board, deadline); });
  }
  return true;
}

bool Flow::send_all(std::uint32_t cycle) {
  if (courier_.sent(cycle)) return true;
  const Span span = waiting();
  const Deadline deadline = parts_.deadline();
  for (Patience patience; !courier_.sent(cycle); pause(patience)) {
    receive();
    if (parted(cycle)) return false;
    require(!deadline.passed(), WEIR_ETIMEOUT, [&] {
      return "rank(s) " + courier_.slow(cycle) + " did not take what was sent to them" + within(deadline);
    });
  }
  return true;
}

// For other ranks and their messages. What this rank places or writes meanwhile counts in those steps too.
Span Flow::waiting() const {
  return {parts_.trace.main(), Step::wait, parts_.tally.wait_seconds, {.number = next_}};
}

// What is under way between hosts moves, in most MPI libraries, only while its ranks look.
void Flow::pause(Patience& patience) const {
  patience.pause(courier_.under_way() ? Patience::short_sleep : Patience::longest_sleep);
}

// Whoever waits for a cycle's seats.
bool Flow::may_go_on(std::uint32_t cycle, const Deadline& deadline) {
  if (parted(cycle - 1)) return false;
  require(!deadline.passed(), WEIR_ETIMEOUT, [&] { return not_manned(cycle, parts_.board, deadline); });
  return true;
}

// Whether a cycle will never be complete: a rank has lost step, or does other things than this one.
bool Flow::parted(std::uint32_t cycle) {
  return lost_ || parts_.board.anybody_lost() || parts_.board.parted(cycle) || courier_.rung();
}

}  // namespace weir
