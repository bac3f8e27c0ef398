// SPDX-License-Identifier: Apache-2.0
// The pipeline's way back: plans to read, and what all ranks read by them.
#include <algorithm>
#include <utility>
#include <vector>

#include "pipeline/pipeline.hpp"

namespace weir {

namespace {

constexpr std::int64_t read_point = 109;
constexpr std::int64_t got_point = 110;
constexpr std::int64_t own_block_bytes = 512 << 10;  // stays in a core's cache between reading and decoding

std::string get_of(const Want& want) {
  return "get of \"" + want.file->schema.variables()[static_cast<std::size_t>(want.var)].name + "\" from " +
         want.file->path;
}

// How a rank's own error begins, which all ranks get.
std::string own_words(const Comm& comm, const std::string& call) {
  return "rank " + std::to_string(comm.number()) + ": " + call + ": ";
}

}  // namespace

// What was planned to be written is read by the same plan, where its owners are named and nobody holds what another
// holds; of several fill modes any will do.
const ReadPlan* Pipeline::known_read_plan(PlanKey key) {
  auto found = plans_.find(key);
  key.read = false;
  for (const weir_fill_mode cover : {WEIR_FILL, WEIR_NOFILL, WEIR_COVER}) {
    if (found != plans_.end() || strategy_->by_group()) break;
    key.cover = cover;
    found = plans_.find(key);
    if (found != plans_.end() && !can_be_read(found->second.plan, reach_.everybody())) found = plans_.end();
  }
  if (found == plans_.end()) return nullptr;
  KeptPlan& kept = found->second;
  kept.used = ++uses_;
  if (!kept.backwards) {
    kept.backwards = backwards(kept.plan, comm_.rank(), writers_);
    if (found->first.read) kept.plan = {};
    kept.bytes = memory_bytes(kept.plan) + memory_bytes(*kept.backwards);
  }
  return &*kept.backwards;
}

const ReadPlan& Pipeline::read_plan(const Want& want) {
  if (const ReadPlan* known = known_read_plan(want.key)) return *known;
  add_plan(want.key, *want.layout, *want.file, want.var);
  return *known_read_plan(want.key);
}

RangeFailure Pipeline::get(const Want& want) {
  if (!at_rest_) settle();
  const std::string call = get_of(want);
  const ReadPlan& plan = read_plan(want);
  std::vector<Wish> wishes;
  for (const Want::Record& record : want.records)
    wishes.push_back({want.var, record.number, &plan, want.external_type, want.memory_type, record.values});
  CollectiveRead reading({comm_, reach_, staging_, storage_, tally_, trace_, [this] { return deadline(); },
                          [&](Status status) {
                            if (!status.ok()) status.message = own_words(comm_, call) + status.message;
                            meet_to_read({read_point, 0, call, nullptr}, std::move(status));
                          }});
  const RangeFailure failure = reading.grant(want.source, wishes);
  end_get(want, call, failure, {});
  return failure;
}

// A plan that takes much of the memory is not made: owners' plans are counted and forgotten in turn.
std::shared_ptr<const OwnPlan> Pipeline::own_plan(int number, const Layout& layout, int element_bytes) {
  const auto found = own_plans_.find({number, element_bytes});
  if (found != own_plans_.end()) return found->second;
  if (!may_read_own() || !has_long_runs(layout, element_bytes)) return nullptr;
  const std::int64_t most = std::min<std::int64_t>(own_block_bytes, config_.buffer_limit_bytes / 8);
  auto plan = std::make_shared<const OwnPlan>(plan_own(layout, element_bytes, most));
  const std::int64_t bytes = memory_bytes(*plan), room = config_.buffer_limit_bytes / 8;
  if (bytes > room || !reads_little_more(*plan, element_bytes)) return nullptr;
  if (number < 0) return plan;
  if (own_plan_bytes_ + bytes > room) own_plans_.clear(), own_plan_bytes_ = 0;
  own_plan_bytes_ += bytes;
  return own_plans_[{number, element_bytes}] = std::move(plan);
}

RangeFailure Pipeline::get_own(const Want& want, const std::shared_ptr<const OwnPlan>& plan) {
  const std::string call = get_of(want);
  OwnRead reading({storage_, tally_, trace_});
  RangeFailure failure;
  Status status;
  for (const Want::Record& record : want.records)
    if (status.ok())
      status = reading.grant(
          want.source, {want.var, record.number, plan, want.external_type, want.memory_type, record.values}, failure);
  if (!status.ok()) status.message = own_words(comm_, call) + status.message;
  end_get(want, call, failure, std::move(status));
  return failure;
}

void Pipeline::end_get(const Want& want, const std::string& call, const RangeFailure& failure, Status status) {
  ++tally_.gets;
  if (status.ok() && failure.count > 0)
    status = {WEIR_ERANGE,
              own_words(comm_, call) + std::to_string(failure.count) + " value(s) do not fit " +
                  std::string(type_name(want.memory_type)) + "; the rest was read",
              no_file};
  meet_to_read({got_point, 0, call, nullptr}, std::move(status));
  if (want.source->can_read_ahead()) ask_ahead(want.source, call, [](TileSource& source) { source.read_ahead(); });
}

void Pipeline::prefetch(const Want& want) {
  const ReadPlan& plan = read_plan(want);
  tally_.prefetches += static_cast<std::int64_t>(want.records.size());
  std::vector<TileToRead> tiles;
  for (const Want::Record& record : want.records)
    for (const ReadRound& round : plan.rounds)
      if (!round.stretches.empty())
        tiles.push_back({want.var, record.number, round.stretches, plan.element_bytes, nullptr});
  if (tiles.empty()) return;
  ask_ahead(want.source, "prefetch from " + want.file->path,
            [tiles = std::move(tiles)](TileSource& source) { source.ask_for(tiles); });
}

// By owners, in one call to storage, which is to own what it knows: it may be left behind.
void Pipeline::ask_ahead(const std::shared_ptr<TileSource>& source, const std::string& call, AskFor ask) {
  const ReadCount before = source->count();
  static_cast<void>(storage_.run([source, ask = std::move(ask)] { return ask(*source), Status(); }, call));
  tally_.opens += source->count().opens - before.opens;
  tally_.bytes_ahead += source->count().bytes_ahead - before.bytes_ahead;
}

}  // namespace weir
