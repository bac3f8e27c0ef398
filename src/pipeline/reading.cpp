// SPDX-License-Identifier: Apache-2.0
#include "pipeline/reading.hpp"

#include <utility>
#include <vector>

#include "read/collective_read.hpp"

namespace weir {

namespace {

std::string get_of(const Want& want) {
  return "get of \"" + want.file->schema.variables()[static_cast<std::size_t>(want.var)].name + "\" from " +
         want.file->path;
}

}  // namespace

RangeFailure Reading::get(const Want& want) {
  if (!cycles_.at_rest()) cycles_.settle();
  const std::string call = get_of(want);
  const ReadPlan& plan = plans_.to_read(want);
  std::vector<Wish> wishes;
  for (const Want::Record& record : want.records)
    wishes.push_back(
        {want.var, record.number, &plan, want.external_type, want.memory_type, want.file->infinities, record.values});
  CollectiveRead reading({rank_.comm, rank_.reach, rank_.staging, rank_.storage, rank_.tally, rank_.trace,
                          [this] { return rank_.deadline(); },
                          [&](Status status) {
                            if (!status.ok()) status.message = rank_.this_rank() + call + ": " + status.message;
                            meetings_.meet_to_read({AgreementPoint::read, 0, call, nullptr}, std::move(status));
                          }});
  const RangeFailure failure = reading.grant(want.source, wishes);
  end(want, failure, {});
  return failure;
}

void Reading::end(const Want& want, const RangeFailure& failure, Status status) {
  const std::string call = get_of(want);
  ++rank_.tally.gets;
  if (!status.ok())
    status.message = rank_.this_rank() + call + ": " + status.message;
  else if (failure.count > 0)
    status = {WEIR_ERANGE,
              rank_.this_rank() + call + ": " + std::to_string(failure.count) + " value(s) do not fit " +
                  std::string(type_name(want.memory_type)) + "; the rest was read",
              no_file};
  meetings_.meet_to_read({AgreementPoint::read_end, 0, call, nullptr}, std::move(status));
  if (want.source->can_read_ahead()) ask_ahead(want.source, call, [](TileSource& source) { source.read_ahead(); });
}

void Reading::prefetch(const Want& want) {
  const ReadPlan& plan = plans_.to_read(want);
  rank_.tally.prefetches += static_cast<std::int64_t>(want.records.size());
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
void Reading::ask_ahead(const std::shared_ptr<TileSource>& source, const std::string& call, AskFor ask) {
  const ReadCount before = source->count();
  static_cast<void>(rank_.storage.run([source, ask = std::move(ask)] { return ask(*source), Status(); }, call));
  rank_.tally.opens += source->count().opens - before.opens;
  rank_.tally.bytes_ahead += source->count().bytes_ahead - before.bytes_ahead;
}

}  // namespace weir
