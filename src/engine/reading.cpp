// SPDX-License-Identifier: Apache-2.0
#include "engine/reading.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "engine/collective_read.hpp"
#include "plan/roles.hpp"

namespace weir {

namespace {

std::string get_of(const GetRequest& request) {
  return formatted("get of \"{}\" from {}",
                   request.file->schema.variables()[static_cast<std::size_t>(request.var)].name, request.file->path);
}

}  // namespace

RangeFailure Reading::get(const GetRequest& request) {
  if (!cycles_.at_rest()) cycles_.drain();
  const std::string call = get_of(request);
  const ReadPlan& plan = plans_.to_read(request);
  std::vector<ReadRequest> requests;
  for (const GetRequest::Record& record : request.records)
    requests.push_back({request.var, record.number, &plan, request.external_type, request.memory_type,
                        request.file->infinities, record.values});
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
              formatted("{}{}: {} value(s) do not fit {}; the rest was read", rank_.this_rank(), call, failure.count,
                        type_name(request.memory_type)),
              {Scope::this_call}};
  agreement_.agree_to_read({AgreementPoint::read_end, 0, call, nullptr}, std::move(status));
  if (request.source->can_read_ahead())
    ask_ahead(request.source, call, [](TileSource& source) { source.read_ahead(); });
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
  ask_ahead(request.source, formatted("prefetch from {}", request.file->path),
            [tiles = std::move(tiles)](TileSource& source) { source.ask_for(tiles); });
}

// By owners, in one call to storage, which is to own what it knows: it may be left behind.
void Reading::ask_ahead(const std::shared_ptr<TileSource>& source, const std::string& call, AskFor ask) {
  const ReadCount before = source->count();
  static_cast<void>(rank_.storage.run([source, ask = std::move(ask)] { return ask(*source), Status(); }, call));
  rank_.tally.opens += source->count().opens - before.opens;
  rank_.tally.bytes_ahead += source->count().bytes_ahead - before.bytes_ahead;
}

namespace {

constexpr std::int64_t most_block_bytes = 512 << 10;  // stays in a core's cache between reading and decoding
constexpr std::int64_t share = 8;                     // of buffer_limit, for a block, and for plans

}  // namespace

bool OwnReading::may_read() const noexcept {
  return may_read_each_for_itself(*rank_.config, rank_.machine, rank_.reach.shared());
}

OwnReading::Kept OwnReading::plan(int number, const Layout& layout, int element_bytes) {
  if (!may_read()) return nullptr;
  const auto found = kept_.find({number, element_bytes});
  if (found != kept_.end()) return found->second;
  if (!has_long_runs(layout, element_bytes)) return nullptr;
  const std::int64_t room = rank_.config->buffer_limit_bytes / share;
  auto made = std::make_shared<const OwnPlan>(plan_own(layout, element_bytes, std::min(most_block_bytes, room)));
  const std::int64_t bytes = memory_bytes(*made);
  if (bytes > room || !reads_little_more(*made, element_bytes)) return nullptr;
  if (number < 0) return made;
  if (kept_bytes_ + bytes > room) {
    kept_.clear();
    kept_bytes_ = 0;
  }
  kept_bytes_ += bytes;
  return kept_[{number, element_bytes}] = std::move(made);
}

void OwnReading::get(const GetRequest& request, const Kept& plan) {
  OwnRead reading({rank_.storage, rank_.tally, rank_.trace});
  RangeFailure failure;
  Status status;
  for (const GetRequest::Record& record : request.records) {
    if (!status.ok()) break;
    status = reading.execute(request.source,
                             {request.var, record.number, plan, request.external_type, request.memory_type,
                              request.file->infinities, record.values},
                             failure);
  }
  reading_.end(request, failure, std::move(status));
}

void OwnReading::forget(int layout) {
  std::erase_if(kept_, [&](const auto& entry) {
    if (entry.first.first != layout) return false;
    kept_bytes_ -= memory_bytes(*entry.second);
    return true;
  });
}

}  // namespace weir
