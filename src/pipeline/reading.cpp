// SPDX-License-Identifier: Apache-2.0
#include "pipeline/reading.hpp"

#include <utility>
#include <vector>

#include "read/collective_read.hpp"

namespace weir {

namespace {

std::string get_of(const GetRequest& request) {
  return "get of \"" + request.file->schema.variables()[static_cast<std::size_t>(request.var)].name + "\" from " +
         request.file->path;
}

}  // namespace

RangeFailure Reading::get(const GetRequest& request) {
  if (!cycles_.at_rest()) cycles_.drain();
  const std::string call = get_of(request);
  const ReadPlan& plan = plans_.to_read(request);
  std::vector<ReadRequest> requests;
  for (const GetRequest::Record& record : request.records)
    requests.push_back(
        {request.var, record.number, &plan, request.external_type, request.memory_type, request.file->infinities, record.values});
  CollectiveRead reading({rank_.comm, rank_.reach, rank_.staging, rank_.storage, rank_.tally, rank_.trace,
                          [this] { return rank_.deadline(); },
                          [&](Status status) {
                            if (!status.ok()) status.message = rank_.this_rank() + call + ": " + status.message;
                            agreement_.agree_to_read({AgreementPoint::read, 0, call, nullptr}, std::move(status));
                          }});
  const RangeFailure failure = reading.execute(request.source, requests);
  end(request, failure, {});
  return failure;
}

void Reading::end(const GetRequest& request, const RangeFailure& failure, Status status) {
  const std::string call = get_of(request);
  ++rank_.tally.gets;
  if (!status.ok())
    status.message = rank_.this_rank() + call + ": " + status.message;
  else if (failure.count > 0)
    status = {WEIR_ERANGE,
              rank_.this_rank() + call + ": " + std::to_string(failure.count) + " value(s) do not fit " +
                  std::string(type_name(request.memory_type)) + "; the rest was read",
              no_file};
  agreement_.agree_to_read({AgreementPoint::read_end, 0, call, nullptr}, std::move(status));
  if (request.source->can_read_ahead()) ask_ahead(request.source, call, [](TileSource& source) { source.read_ahead(); });
}

void Reading::prefetch(const GetRequest& request) {
  const ReadPlan& plan = plans_.to_read(request);
  rank_.tally.prefetches += static_cast<std::int64_t>(request.records.size());
  std::vector<TileToRead> tiles;
  for (const GetRequest::Record& record : request.records)
    for (const ReadRound& round : plan.rounds)
      if (!round.stretches.empty())
        tiles.push_back({request.var, record.number, round.stretches, plan.element_bytes, nullptr});
  if (tiles.empty()) return;
  ask_ahead(request.source, "prefetch from " + request.file->path,
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
