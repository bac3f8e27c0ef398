// SPDX-License-Identifier: Apache-2.0
#include "flow/writing.hpp"

#include <algorithm>
#include <utility>

namespace weir {

Writing::Writing(World& world, const FlowSetup& setup, Control& control)
    : world_(world), setup_(setup), control_(control) {
  if (setup.config.overlap == OverlapKind::background) beside_ = world.make_beside(work());
}

Beside::Work Writing::work() {
  return {[this](const Duty& duty) { return complete(duty) && (duty.forced || released() >= duty.cycle); },
          [this](Duty& duty) { return write_beside(duty); },
          [this](const Duty* next) { tell_neighbours(next ? next->cycle - 1 : made_.load()); }};
}

std::unique_ptr<Duty> Writing::take_puts(std::uint32_t cycle) {
  if (spare_.empty()) spare_.push_back(world_.new_duty());
  std::unique_ptr<Duty> puts = std::move(spare_.back());
  spare_.pop_back();
  puts->cycle = cycle;
  puts->tile_bytes = world_.take_puts(*puts);
  return puts;
}

bool Writing::add(const Cycle& cycle, std::unique_ptr<Duty> puts) {
  const bool collective = world_.collective(*puts);
  tiles_.clear();
  find_tiles(cycle, *puts);
  if (!collective && tiles_.empty()) {
    spare_.push_back(std::move(puts));
    begin(nullptr, cycle.number);
    return true;
  }
  duties_.push_back(std::move(puts));
  Duty& duty = *duties_.back();
  duty.tiles = tiles_;
  duty.seats = cycle.seats;
  duty.place = cycle.place;
  duty.collective = collective;
  duty.forced = duty.done = false;
  duty.relayed = control_.relayed(cycle.number);
  duty.missing = duty.relayed + contributions(cycle, duty);
  for (const HeldTile& tile : duty.tiles) world_.hold(tile.place, duty.tile_bytes);
  if (world_.must_prepare(duty)) return false;
  begin(&duty, cycle.number);
  return true;
}

// Of this rank: the seats that it has, or the tile that the plan gives it.
void Writing::find_tiles(const Cycle& cycle, const Duty& puts) {
  if (cycle.fixed && world_.owns_tile(puts)) tiles_.push_back({world_.rank(), cycle.place});
  for (std::size_t s = 0; s < cycle.seats.size(); ++s)
    if (cycle.seats[s].rank == world_.rank()) tiles_.push_back({static_cast<int>(s), cycle.seats[s].place});
}

// Those that come in messages: this rank's own too, if it gave them to a relay.
std::int64_t Writing::contributions(const Cycle& cycle, const Duty& duty) const {
  const bool given_away = cycle.relay >= 0 && cycle.relay != world_.rank();
  std::int64_t count = 0;
  for (const HeldTile& tile : duty.tiles) count += world_.pieces_to_come(duty, tile, cycle.fixed, given_away);
  return count;
}

void Writing::prepare() {
  world_.prepare(*duties_.back());
  begin(duties_.back().get(), duties_.back()->cycle);
}

void Writing::begin(Duty* duty, std::uint32_t cycle) {
  if (duty && beside_ && !duty->collective) beside_->add(*duty);
  made_ = cycle;
}

bool Writing::complete(const Duty& duty) const noexcept {
  return duty.missing.load(std::memory_order_acquire) == 0 && world_.all_put(duty.cycle);
}

bool Writing::under_way() const {
  const std::int64_t released = released_.load();
  return std::any_of(duties_.begin(), duties_.end(),
                     [&](const auto& duty) { return duty->missing.load() > 0 || duty->cycle <= released; });
}

// Of the task beside.
Task<> Writing::write_beside(Duty& duty) {
  while (!take_turn(duty)) {
    if (beside_->stopping()) co_return;
    co_await world_.await_turn(most_at_once(duty), nullptr);
  }
  co_await world_.write_beside(duty);
  world_.mark(Mark::written, {.number = duty.cycle}, true);
  world_.end_writing();
  if (control_.from_thread()) say_written(duty);
}

// As the scheduler says; the task beside asks it itself where it may, else the rank keeps it up to date.
std::int64_t Writing::released() {
  return control_.from_thread() ? control_.released() : released_.load();
}

bool Writing::release(std::int64_t unit) {
  return released_.exchange(unit) != unit;
}

void Writing::look_again() {
  if (beside_) beside_->look_again();
}

Task<> Writing::write_what_may_be() {
  while (!duties_.empty() && complete(*duties_.front()) && control_.released() >= duties_.front()->cycle &&
         take_turn(*duties_.front())) {
    const Timed timed(world_, Account::slack, duties_.front()->cycle);
    co_await write_in_turn(*duties_.front());
  }
}

Task<> Writing::write_oldest() {
  Duty& duty = *duties_.front();
  if (beside_) {
    if (!duty.done) {
      const Timed timed(world_, Account::wait, duty.cycle);
      co_await beside_->await(duty);
    }
    take_done();
    co_return;
  }
  const Timed timed(world_, Account::write, duty.cycle);
  Wait wait{Awaited::turn, duty.cycle, &duty, world_.deadline()};
  while (!take_turn(duty)) co_await world_.await_turn(most_at_once(duty), &wait);
  co_await write_in_turn(duty);
}

Task<> Writing::write_together() {
  Duty& duty = *duties_.back();
  const Timed timed(world_, Account::write, duty.cycle);
  co_await world_.write(duty);
  end(duty);
}

bool Writing::take_turn(const Duty& duty) {
  return world_.begin_writing(most_at_once(duty));
}

// The plan's owners do not take turns.
int Writing::most_at_once(const Duty& duty) const {
  if (control_.fixed()) return setup_.machine.ranks();
  if (setup_.config.writers_at_once > 0) return setup_.config.writers_at_once;
  return world_.one_at_a_time(duty) ? 1 : setup_.machine.ranks();
}

Task<> Writing::write_in_turn(Duty& duty) {
  co_await world_.write(duty);
  world_.end_writing();
  end(duty);
}

void Writing::end(const Duty& duty) {
  world_.mark(Mark::written, {.number = duty.cycle});
  say_written(duty);
  pop();
  take_done();
}

// The oldest is done, or given up.
void Writing::pop() {
  Duty& duty = *duties_.front();
  for (const HeldTile& tile : duty.tiles) world_.hold(tile.place, 0);
  world_.close(duty);
  spare_.push_back(std::move(duties_.front()));
  duties_.erase(duties_.begin());
}

void Writing::say_written(const Duty& duty) {
  for (const HeldTile& tile : duty.tiles) control_.written(duty.cycle, tile.place);
}

void Writing::take_done() {
  while (beside_ && !duties_.empty() && duties_.front()->done) {
    if (!control_.from_thread()) say_written(*duties_.front());
    pop();
  }
  tell_neighbours(duties_.empty() ? made_.load() : duties_.front()->cycle - 1);
}

// They need not wait until this rank comes to their cycle to learn that places out of the window are free.
void Writing::tell_neighbours(std::uint32_t written) {
  if (!control_.by_window()) return;
  const std::lock_guard lock(telling_);
  if (!later(written, told_)) return;
  told_ = written;
  world_.say_written(written);
}

void Writing::drop() {
  if (beside_) beside_->drop();
  while (!duties_.empty()) pop();
}

void Writing::restart(std::uint32_t cycle) {
  const std::lock_guard lock(telling_);
  made_ = told_ = cycle;
}

}  // namespace weir
