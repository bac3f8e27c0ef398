// SPDX-License-Identifier: Apache-2.0
// The pipeline's way back: plans to read, and what all ranks read by them.
#include <utility>
#include <vector>

#include "pipeline/pipeline.hpp"

namespace weir {

namespace {

constexpr std::int64_t read_point = 109;
constexpr std::int64_t got_point = 110;

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
  const std::string call = "get of \"" + want.file->schema.variables()[static_cast<std::size_t>(want.var)].name +
                           "\" from " + want.file->path;
  const ReadPlan& plan = read_plan(want);
  std::vector<Wish> wishes;
  for (const Want::Record& record : want.records)
    wishes.push_back({want.var, record.number, &plan, want.external_type, want.memory_type, record.values});
  CollectiveRead reading({comm_, reach_, staging_, storage_, tally_, trace_, [this] { return deadline(); },
                          [&](Status status) {
                            if (!status.ok())
                              status.message =
                                  "rank " + std::to_string(comm_.number()) + ": " + call + ": " + status.message;
                            meet_to_read({read_point, 0, call, nullptr}, std::move(status));
                          }});
  const RangeFailure failure = reading.grant(want.source, wishes);
  ++tally_.gets;
  Status status;
  if (failure.count > 0)
    status = {WEIR_ERANGE,
              "rank " + std::to_string(comm_.number()) + ": " + call + ": " + std::to_string(failure.count) +
                  " value(s) do not fit " + std::string(type_name(want.memory_type)) + "; the rest was read",
              no_file};
  meet_to_read({got_point, 0, call, nullptr}, std::move(status));
  if (want.source->can_read_ahead()) ask_ahead(want.source, call, [](TileSource& source) { source.read_ahead(); });
  return failure;
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
