// SPDX-License-Identifier: Apache-2.0
#include "flow/writing.hpp"

#include <algorithm>
#include <utility>

namespace weir {

namespace {

// Of this rank: the slots that it has, or the tile that the plan gives it.
void find_tiles(const World& world, const Cycle& cycle, const PendingWrite& puts, std::vector<HeldTile>& tiles) {
  if (cycle.fixed && puts.owns_tile) tiles.push_back({world.rank(), cycle.tile_buffer});
  const int own = world.rank();
  for (std::size_t s = 0; s < cycle.slots.size(); ++s)
    if (cycle.slots[s].rank == own) tiles.push_back({static_cast<int>(s), cycle.slots[s].tile_buffer});
}

// Those that come in messages: this rank's own too, if it gave them to a relay.
std::int64_t contributions(const World& world, const Cycle& cycle, const PendingWrite& pending) {
  const bool sent_via_relay = cycle.sent_via_relay(world.rank());
  std::int64_t count = 0;
  for (const HeldTile& tile : pending.tiles) count += world.pieces_to_come(pending, tile, cycle.fixed, sent_via_relay);
  return count;
}

}  // namespace

Writing::Writing(World& world, const FlowSetup& setup, Control& control)
    : world_(world), setup_(setup), control_(control) {
  if (setup.config.overlap == OverlapKind::background) background_ = world.make_background_writer(work());
}

BackgroundWriter::Work Writing::work() {
  return {[this](const PendingWrite& pending) {
            return complete(pending) && (pending.forced || released() >= pending.cycle);
          },
          [this](PendingWrite& pending) { return write_in_background(pending); },
          [this](const PendingWrite* next) { publish(next ? next->cycle - 1 : made_.load()); }};
}

std::unique_ptr<PendingWrite> Writing::take_puts(std::uint32_t cycle) {
  std::unique_ptr<PendingWrite> spare;
  if (!spare_.empty()) {
    spare = std::move(spare_.back());
    spare_.pop_back();
  }
  return world_.take_puts(cycle, std::move(spare));
}

bool Writing::add(const Cycle& cycle, std::unique_ptr<PendingWrite> puts) {
  tiles_.clear();
  find_tiles(world_, cycle, *puts, tiles_);
  if (!puts->collective && tiles_.empty()) {
    spare_.push_back(std::move(puts));
    begin(nullptr, cycle.number);
    return true;
  }
  pending_.push_back(std::move(puts));
  PendingWrite& pending = *pending_.back();
  pending.tiles = tiles_;
  pending.forced = pending.done = false;
  pending.relayed = control_.relayed(cycle.number);
  pending.slots.clear();
  if (pending.relayed > 0) pending.slots.assign(cycle.slots.begin(), cycle.slots.end());
  pending.missing = pending.relayed + contributions(world_, cycle, pending);
  for (const HeldTile& tile : pending.tiles) world_.hold(tile.tile_buffer, pending.tile_bytes);
  if (world_.must_prepare(pending)) return false;
  begin(&pending, cycle.number);
  return true;
}

void Writing::prepare() {
  world_.prepare(*pending_.back());
  begin(pending_.back().get(), pending_.back()->cycle);
}

void Writing::begin(PendingWrite* pending, std::uint32_t cycle) {
  if (pending && background_ && !pending->collective) background_->add(*pending);
  made_ = cycle;
}

bool Writing::complete(const PendingWrite& pending) const noexcept {
  return pending.missing.load(std::memory_order_acquire) == 0 && world_.all_put(pending.cycle);
}

bool Writing::under_way() const {
  const std::int64_t released = released_.load();
  return std::any_of(pending_.begin(), pending_.end(),
                     [&](const auto& pending) { return pending->missing.load() > 0 || pending->cycle <= released; });
}

// Of the background writer.
void Writing::write_in_background(PendingWrite& pending) {
  while (!has_turn(pending)) {
    if (background_->stopping()) return;
    world_.await_turn(most_at_once(pending), nullptr);
  }
  world_.write_in_background(pending);
  world_.mark(Mark::written, {.number = pending.cycle}, true);
  world_.end_writing();
  if (control_.thread_safe()) tell_control_written(pending);
}

// All of this rank's tiles of cycles up to this one are written. Any thread.
void Writing::publish(std::uint32_t written) {
  if (!control_.frees_by_window()) return;
  const std::lock_guard lock(publishing_);
  if (!later(written, published_)) return;
  published_ = written;
  world_.say_written(written);
}

// Ranks of a host that may write at a time. The plan's owners do not take turns.
int Writing::most_at_once(const PendingWrite& pending) const {
  if (control_.fixed()) return setup_.machine.ranks();
  if (setup_.config.writers_at_once > 0) return setup_.config.writers_at_once;
  return pending.one_at_a_time ? 1 : setup_.machine.ranks();
}

// As the scheduler says; the background writer asks it itself where it may, else the rank keeps it up to date.
std::int64_t Writing::released() {
  return control_.thread_safe() ? control_.released() : released_.load();
}

bool Writing::release(std::int64_t unit) {
  return released_.exchange(unit) != unit;
}

void Writing::notify() {
  if (background_) background_->notify();
}

void Writing::write_ready() {
  while (!pending_.empty() && complete(*pending_.front()) && control_.released() >= pending_.front()->cycle &&
         has_turn(*pending_.front())) {
    const Timed timed(world_, Account::slack, pending_.front()->cycle);
    write_in_turn(*pending_.front());
  }
}

void Writing::write_oldest() {
  PendingWrite& pending = *pending_.front();
  if (background_) {
    if (!pending.done) {
      const Timed timed(world_, Account::wait, pending.cycle);
      background_->await(pending);
    }
    take_done();
    return;
  }
  const Timed timed(world_, Account::write, pending.cycle);
  Wait wait{Awaited::turn, pending.cycle, &pending, world_.deadline()};
  while (!has_turn(pending)) world_.await_turn(most_at_once(pending), &wait);
  write_in_turn(pending);
}

void Writing::write_together() {
  PendingWrite& pending = *pending_.back();
  const Timed timed(world_, Account::write, pending.cycle);
  world_.write(pending);
  end(pending);
}

void Writing::write_in_turn(PendingWrite& pending) {
  world_.write(pending);
  world_.end_writing();
  end(pending);
}

void Writing::end(const PendingWrite& pending) {
  world_.mark(Mark::written, {.number = pending.cycle});
  tell_control_written(pending);
  pop();
  take_done();
}

// The oldest is done, or given up.
void Writing::pop() {
  PendingWrite& pending = *pending_.front();
  for (const HeldTile& tile : pending.tiles) world_.hold(tile.tile_buffer, 0);
  world_.close(pending);
  spare_.push_back(std::move(pending_.front()));
  pending_.erase(pending_.begin());
}

void Writing::tell_control_written(const PendingWrite& pending) {
  for (const HeldTile& tile : pending.tiles) control_.written(pending.cycle, tile.tile_buffer);
}

void Writing::take_done() {
  while (background_ && !pending_.empty() && pending_.front()->done) {
    if (!control_.thread_safe()) tell_control_written(*pending_.front());
    pop();
  }
  publish(pending_.empty() ? made_.load() : pending_.front()->cycle - 1);
}

void Writing::drop() {
  if (background_) background_->drop();
  while (!pending_.empty()) pop();
}

void Writing::restart(std::uint32_t cycle) {
  {
    const std::lock_guard lock(publishing_);
    published_ = cycle;  // first: a background writer that reads made_ publishes nothing older
  }
  made_ = cycle;
}

}  // namespace weir
