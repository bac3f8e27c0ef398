// SPDX-License-Identifier: Apache-2.0
#include "schedule/scheduler.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "schedule/choose.hpp"
#include "schedule/roster.hpp"
#include "schedule/unit.hpp"

namespace weir {
namespace {

void check_parameters(const Machine& machine, const ScheduleParameters& p) {
  require(machine.ranks() > 0, WEIR_EARGUMENT, "a scheduler needs a machine with at least one rank");
  require(p.writers_per_node >= 1 && p.flush_after >= 1 && p.tiles_per_rank >= 1, WEIR_EARGUMENT,
          "a schedule's writers_per_node, flush_after and tiles_per_rank are 1 or more");
  require(!p.waits_for_holders || p.hops == HopKind::one, WEIR_EARGUMENT, "only with one hop units wait for holders");
}

}  // namespace

Scheduler::Scheduler(const Machine& machine, const ScheduleParameters& parameters) : parameters_(parameters) {
  check_parameters(machine, parameters);
  roster_ = std::make_unique<Roster>(machine, parameters.tiles_per_rank);
  choice_ = make_choice(parameters, *roster_);
  units_ = std::make_unique<UnitRing>(roster_->hosts());
}

Scheduler::Scheduler(Scheduler&&) noexcept = default;
Scheduler& Scheduler::operator=(Scheduler&&) noexcept = default;
Scheduler::~Scheduler() = default;

// ---- events

void Scheduler::offer(int rank, std::int64_t unit, int slots, std::int64_t series) {
  begin_event();
  check_slots(rank, unit, slots);
  const bool again = roster_->reached(rank) >= unit;
  Unit* const offered = begin_unit(unit, slots, series);
  if (!again) note_arrival(rank, unit);
  if (offered == nullptr || offered->assigned)
    decisions_.push_back({Decision::Kind::assigned, unit, rank});
  else if (!again)
    offer_slots(*offered, rank);
  if (!again) choice_->arrived(unit, rank);
}

const std::vector<Slot>& Scheduler::offer_in_turn(std::int64_t unit, int slots, std::int64_t series) {
  const int ranks = roster_->ranks();
  for (int k = 0; k < ranks && !this->slots(unit); ++k)
    offer(static_cast<int>((unit + k) % ranks), unit, slots, series);
  const std::vector<Slot>* const assigned = this->slots(unit);
  require(assigned != nullptr, WEIR_EINTERNAL, "the scheduler assigned no writers to a unit");
  return *assigned;
}

void Scheduler::written(int rank, std::int64_t unit, int tile_buffer) {
  begin_event();
  Unit* const done = units_->find(unit);
  assert(done != nullptr && done->assigned && roster_->unit_in(rank, tile_buffer) == unit);
  roster_->give_back(rank, tile_buffer);
  choice_->changed(rank);
  if (--done->unwritten == 0) forget(*done);
  reassign({&rank, 1});
  end_full_groups();
}

void Scheduler::release(std::int64_t unit) {
  begin_event();
  release_all(unit);
}

const std::vector<Slot>* Scheduler::slots(std::int64_t unit) const noexcept {
  const Unit* const found = units_->find(unit);
  return found != nullptr && found->assigned ? &found->slots : nullptr;
}

void Scheduler::begin_event() {
  decisions_.clear();
  if (!slotless_released_) return;
  slotless_released_ = false;
  std::erase_if(slotless_, [&](std::int64_t unit) {
    if (unit > released_) return false;
    forget(*units_->find(unit));
    return true;
  });
}

// ---- an offer

void Scheduler::check_slots(int rank, std::int64_t unit, int slots) const {
  const Unit* const known = units_->find(unit);
  if (known != nullptr && known->wanted >= 0 && known->wanted != slots)
    throw Error(WEIR_EMISMATCH,
                "rank {} offers unit {} of its puts with {} tiles where another rank has {}: let all ranks put the "
                "same variables in the same order",
                rank, unit, slots, known->wanted);
  if (slots < 0 || slots > roster_->tile_buffers())
    throw Error(WEIR_EARGUMENT,
                "unit {} has {} tiles and {} ranks hold {} at the most: ask for fewer writers_per_variable, or raise "
                "buffer_limit",
                unit, slots, roster_->ranks(), roster_->tile_buffers());
}

void Scheduler::note_arrival(int rank, std::int64_t unit) {
  roster_->reach(rank, unit);
  if (unit > latest_) {
    latest_ = unit;
    arrivals_.clear();
  }
  if (unit == latest_) arrivals_.push_back(rank);
}

void Scheduler::offer_slots(Unit& unit, int rank) {
  unit.assignment->arrived.push_back(rank);
  if (unit.open()) choice_->offered(unit, rank);
  while (unit.open() && exhausted()) end_group();
  if (unit.open()) choice_->yield(unit);
  while (unit.open() && exhausted()) end_group();
  if (unit.open() && !unit.assignment->holders.empty()) end_group();  // it waits for what a holder has to write
  if (!unit.assigned && !unit.open()) finish_assignment(unit);
  end_full_groups();
  if (!unit.assigned) assign_relays(unit);
}

bool Scheduler::exhausted() const noexcept {
  return roster_->able_ranks() == 0 && (roster_->anyone_in_use() || last_assigned_ > released_);
}

// ---- units

// The unit, known from now on; nullptr where it is forgotten.
Unit* Scheduler::begin_unit(std::int64_t unit, int slots, std::int64_t series) {
  units_->reach(unit);
  Unit* const found = units_->find(unit);
  if (found == nullptr || found->wanted >= 0) return found;
  units_->begin_assignment(*found);
  found->wanted = found->unwritten = slots;
  found->series = series;
  found->assignment->node_limit = std::max(parameters_.writers_per_node, roster_->node_limit(slots));
  choice_->begun(*found);
  choice_->enqueue(*found);
  return found;
}

// All slots of `unit` are taken.
void Scheduler::finish_assignment(Unit& unit) {
  if (unit.assignment->holders.empty()) order_slots(unit);
  choice_->assigned(unit);
  for (const Slot& slot : unit.slots) unit.assignment->on_host[roster_->host(slot.rank)] = 0;
  units_->end_assignment(unit);
  choice_->dequeue(unit);
  unit.assigned = true;
  decisions_.push_back({Decision::Kind::assigned, unit.number});
  last_assigned_ = std::max(last_assigned_, unit.number);
  ++assigned_in_group_;
  if (unit.wanted > 0) return;
  slotless_.push_back(unit.number);
  slotless_released_ = slotless_released_ || unit.number <= released_;
}

void Scheduler::forget(Unit& unit) {
  const std::int64_t number = unit.number;
  units_->forget(unit);
  choice_->forgotten(number);
}

// Tiles are in file order, and models mostly lay neighbours in the file on neighbouring ranks: so tiles of a unit that
// all hosts share go to the hosts in order, and fewer pieces leave their host.
void Scheduler::order_slots(Unit& unit) const {
  if (roster_->hosts() == 1 || std::ssize(unit.slots) < roster_->hosts()) return;
  std::sort(unit.slots.begin(), unit.slots.end(), [&](const Slot& a, const Slot& b) {
    return std::pair(roster_->host(a.rank), a.rank) < std::pair(roster_->host(b.rank), b.rank);
  });
}

// ---- groups of units

void Scheduler::release_all(std::int64_t unit) {
  if (unit <= released_) return;
  release_to(unit);
  if (released_ >= last_assigned_) end_group();
  end_full_groups();
}

void Scheduler::release_to(std::int64_t unit) {
  if (unit <= released_) return;
  released_ = unit;
  slotless_released_ = !slotless_.empty();
  decisions_.push_back({Decision::Kind::released, unit});
}

void Scheduler::end_group() {
  release_to(last_assigned_);
  assigned_in_group_ = 0;
  const std::span<const int> ranks = roster_->begin_group();
  for (const int rank : ranks) choice_->changed(rank);
  reassign(ranks);
}

// Units that wait may be assigned as a group ends, and so end the next.
void Scheduler::end_full_groups() {
  while (assigned_in_group_ >= parameters_.flush_after) end_group();
}

void Scheduler::reassign(std::span<const int> ranks) {
  for (std::size_t i = 0; i < choice_->waiting().size();) {
    Unit& unit = *choice_->waiting()[i];
    choice_->freed(unit, ranks);
    if (unit.open()) {
      assign_relays(unit);
      ++i;
    } else {
      finish_assignment(unit);
    }
  }
}

// ---- two hops

void Scheduler::assign_relays(Unit& unit) {
  if (parameters_.hops == HopKind::one || unit.slots.empty()) return;
  Assignment& assignment = *unit.assignment;
  while (assignment.relayed < assignment.arrived.size()) {
    const int rank = assignment.arrived[assignment.relayed++];
    decisions_.push_back({Decision::Kind::relay, unit.number, rank, choose_relay(unit, rank)});
  }
}

int Scheduler::choose_relay(Unit& unit, int rank) {
  if (roster_->holds(rank, unit.number)) return rank;
  Assignment& assignment = *unit.assignment;
  auto& relays = assignment.relays;
  for (; assignment.entered < unit.slots.size(); ++assignment.entered) {
    const auto slot = unit.slots.begin() + static_cast<std::ptrdiff_t>(assignment.entered);
    const auto same_rank = [&](const Slot& other) { return other.rank == slot->rank; };
    const bool twice = roster_->count_held(slot->rank, unit.number) > 1;
    if (twice && std::any_of(unit.slots.begin(), slot, same_rank)) continue;
    relays.emplace_back(0, static_cast<int>(assignment.entered));
    std::ranges::push_heap(relays, std::greater<>());
  }
  std::ranges::pop_heap(relays, std::greater<>());
  ++relays.back().first;
  const int to = unit.slots[static_cast<std::size_t>(relays.back().second)].rank;
  std::ranges::push_heap(relays, std::greater<>());
  return to;
}

}  // namespace weir
