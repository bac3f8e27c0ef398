// SPDX-License-Identifier: Apache-2.0
#include "engine/kept_plans.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "mpi/exchange.hpp"
#include "plan/tile_memory.hpp"
#include "schedule/rounds.hpp"

namespace weir {

namespace {

constexpr std::size_t most_plans = 4096;

}  // namespace

KeptPlans::KeptPlans(RankContext& rank, Agreement& agreement, const Roles& roles, Cycles& cycles)
    : rank_(rank), agreement_(agreement), roles_(roles), cycles_(cycles) {}

PlanRequest KeptPlans::request(const PlanKey& key, const Layout& layout, const OpenFile& file) const {
  PlanRequest request = request_of(key, layout, roles_.owners(key.place.granule, key.read));
  request.caller = {file.counting, rank_.comm.numbers()};
  return request;
}

const Plan& KeptPlans::to_write(const PlanKey& key, const Layout& layout, const OpenFile& file, int var) {
  const auto found = plans_.find(key);
  if (found != plans_.end()) {
    found->second.used = ++uses_;
    return found->second.plan;
  }
  return add(key, layout, file, var).plan;
}

KeptPlans::Kept& KeptPlans::add(const PlanKey& key, const Layout& layout, const OpenFile& file, int var) {
  std::uint64_t signature = mix(0, static_cast<std::uint64_t>(key.layout));
  signature = mix(signature, static_cast<std::uint64_t>(key.element_bytes * 1024 + key.place.first_writer));
  const std::string call = formatted("{}{}\" into {} by layout {}", key.read ? "get of \"" : "put of \"",
                                     file.schema.variables()[static_cast<std::size_t>(var)].name, file.path,
                                     file.counting.number(key.layout));
  std::int64_t kept_bytes = bytes();
  agreement_.agree_at({AgreementPoint::plan,
                       mix(mix(signature, call), static_cast<std::uint64_t>(key.place.stripe_phase)), call, nullptr},
                      {}, &file, &kept_bytes);
  make_room(kept_bytes);
  const Span span(rank_.trace.main(), Step::plan, rank_.tally.plan_seconds, {.file = file.serial, .var = var});
  ++rank_.tally.plans;
  Plan made = make(request(key, layout, file), layout, file, var);
  const std::int64_t bytes = memory_bytes(made);
  return plans_.emplace(key, Kept{std::move(made), {}, bytes, ++uses_}).first->second;
}

// The largest rank's plans are kept within buffer_limit, whatever layouts come, and with stripes every record may lie
// differently and want plans of its own.
void KeptPlans::make_room(std::int64_t most_bytes) {
  if (plans_.size() < most_plans && most_bytes <= rank_.config->buffer_limit_bytes) return;
  cycles_.drain();
  cycles_.transport().forget();
  do {
    forget_older();
    most_bytes = bytes();
    allreduce_max(rank_.comm, std::span(&most_bytes, 1), rank_.deadline(), "planning");
  } while (most_bytes > rank_.config->buffer_limit_bytes && !plans_.empty());
}

// The half of them that were used longest ago.
void KeptPlans::forget_older() {
  std::vector<std::pair<std::uint64_t, PlanKey>> ages;
  for (const auto& [key, kept] : plans_) ages.emplace_back(kept.used, key);
  std::sort(ages.begin(), ages.end());
  ages.resize((ages.size() + 1) / 2);
  for (const auto& [used, key] : ages) plans_.erase(key);
}

std::int64_t KeptPlans::bytes() const noexcept {
  constexpr std::int64_t node_bytes = sizeof(decltype(plans_)::value_type) + 48;
  std::int64_t bytes = cycles_.transport().unpack_program_bytes();
  for (const auto& [key, kept] : plans_) bytes += kept.bytes + node_bytes;
  return bytes;
}

void KeptPlans::forget(int layout) {
  cycles_.transport().forget();
  std::erase_if(plans_, [layout](const auto& entry) { return entry.first.layout == layout; });
}

Plan KeptPlans::make(PlanRequest request, const Layout& layout, const OpenFile& file, int var) {
  const auto plan = [&](const PlanRequest& wanted, const Strategy& strategy) {
    return make_once(wanted, strategy, {layout, file, var});
  };
  const MemoryBudget& budget = rank_.staging.budget();
  if (!request.read) return plan_within(budget, request, [&] { return plan(request, roles_.strategy()); });
  return plan_reading(std::move(request), {roles_, *rank_.config, rank_.machine, budget}, plan,
                      [this](const Plan& made) { return sums_of(made); });
}

// Of all ranks. Collective.
ReadSums KeptPlans::sums_of(const Plan& plan) const {
  ReadSums own;
  for (const Round& round : plan.rounds) own.add(round.tile);
  std::int64_t sums[2] = {own.elements, own.stretches};
  allreduce_sum(rank_.comm, sums, rank_.deadline(), "planning");
  return {sums[0], sums[1]};
}

Plan KeptPlans::make_once(const PlanRequest& request, const Strategy& strategy, const Planned& what) {
  const auto& [layout, file, var] = what;
  const Deadline end = rank_.deadline();
  const bool slots = has_open_slots(*rank_.config, request);
  Planner planner({rank_.machine, strategy, request, layout, rank_.comm.rank(), rank_.reach.shared(), slots});
  auto carry = [&](Messages list) {
    exchange_tag_ = (exchange_tag_ + 1) % 1000;
    return deliver(rank_.comm, std::move(list), 100 + exchange_tag_, end, "planning");
  };
  Messages list = carry(planner.claim());
  list = carry(planner.appoint(list));
  list = carry(planner.arrange(list));
  Plan plan = planner.finish(list);
  Status status = planner.status();
  status.scope = file.attached ? Scope{Scope::this_call} : Scope::of(file.serial);
  status.message = formatted("put of \"{}\" into {}: {}", file.schema.variables()[static_cast<std::size_t>(var)].name,
                             file.path, status.message);
  agreement_.agree_at({AgreementPoint::planned, 0, "planning", nullptr}, std::move(status), &file);
  std::vector<std::int64_t> largest;
  for (const Round& round : plan.rounds) {
    Reserve own;
    own.cover(round);
    largest.insert(largest.end(), {own.tile, own.packed, own.received});
  }
  allreduce_max(rank_.comm, largest, end, "planning");
  const Summary own = summarize(plan, rank_.comm.rank(), rank_.machine);
  std::int64_t sums[6] = {own.elements, own.between_hosts, own.messages, own.owners, own.stretches, own.filled};
  allreduce_sum(rank_.comm, sums, end, "planning");
  plan.summary = {sums[0], sums[1], sums[2], sums[3], sums[4], sums[5]};
  for (std::size_t i = 0; i < largest.size(); i += 3)
    plan.reserves.push_back({largest[i], largest[i + 1], largest[i + 2]});
  if (slots) open_slots(plan);
  return plan;
}

// Every planning rank tells all ranks what a holder of its slot must know: what the tile is made of, and how many will
// send.
void KeptPlans::open_slots(Plan& plan) const {
  const Deadline end = rank_.deadline();
  const std::vector<int>& writers = roles_.writers();
  const std::size_t rounds = plan.rounds.size(), slots = writers.size();
  const std::vector<int> slot_of = slot_of_planning_rank(writers, rank_.machine.ranks());
  std::vector<std::int64_t> all(rounds * slots), near;
  for (std::size_t r = 0; r < rounds; ++r)
    for (Outgoing& out : plan.rounds[r].outgoing) {
      out.owner_or_slot = slot_of[static_cast<std::size_t>(out.owner_or_slot)];
      all[r * slots + static_cast<std::size_t>(out.owner_or_slot)] = 1;
    }
  near = all;
  allreduce_sum(rank_.comm, all, end, "planning");
  if (rank_.reach.shared()) allreduce_sum(rank_.host, near, end, "planning");
  std::vector<TilePlan> own;
  for (Round& round : plan.rounds) own.push_back(std::exchange(round.tile, {}));
  for (std::size_t s = 0; s < slots; ++s) {
    std::vector<TilePlan> tiles = broadcast_value(rank_.comm, own, writers[s], end, "planning");
    std::vector<SlotPlan>& slot = plan.slots.emplace_back();
    for (std::size_t r = 0; r < rounds; ++r)
      slot.push_back({std::move(tiles[r]), all[r * slots + s], near[r * slots + s]});
  }
}

// What was planned to be written is read by the same plan, where its owners are named and no rank holds what another
// holds; of several fill modes any will do.
const ReadPlan* KeptPlans::known_to_read(PlanKey key) {
  auto found = plans_.find(key);
  key.read = false;
  for (const weir_fill_mode cover : {WEIR_FILL, WEIR_NOFILL, WEIR_COVER}) {
    if (found != plans_.end() || roles_.strategy().by_group()) break;
    key.cover = cover;
    found = plans_.find(key);
    if (found != plans_.end() && !can_be_read(found->second.plan, rank_.reach.everybody())) found = plans_.end();
  }
  if (found == plans_.end()) return nullptr;
  Kept& kept = found->second;
  kept.used = ++uses_;
  if (!kept.backwards) {
    kept.backwards = backwards(kept.plan, rank_.comm.rank(), roles_.writers());
    if (found->first.read) kept.plan = {};
    kept.bytes = memory_bytes(kept.plan) + memory_bytes(*kept.backwards);
  }
  return &*kept.backwards;
}

const ReadPlan& KeptPlans::to_read(const GetRequest& request) {
  if (const ReadPlan* known = known_to_read(request.key)) return *known;
  add(request.key, *request.layout, *request.file, request.var);
  return *known_to_read(request.key);
}

void KeptPlans::forget_uses() noexcept {
  for (auto& [key, kept] : plans_) kept.used = 0;
}

}  // namespace weir
