// SPDX-License-Identifier: Apache-2.0
#include "engine/collective_read.hpp"

#include <exception>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "flow/steps.hpp"
#include "schedule/rounds.hpp"

namespace weir {

namespace {

constexpr int message_tag = 90;

// Bytes by the rank on the other side, and where each one's begin in the memory of messages.
class MessageSpace {
 public:
  void add(int rank, std::int64_t bytes) { shares_[rank].bytes += bytes; }
  void lay_out() {
    std::int64_t at = 0;
    for (auto& [rank, share] : shares_) share.next = std::exchange(at, at + share.bytes);
  }
  // The next `bytes` of what goes to a rank, or comes from it.
  std::int64_t take(int rank, std::int64_t bytes) {
    std::int64_t& next = shares_.at(rank).next;
    return std::exchange(next, next + bytes);
  }
  std::size_t ranks() const noexcept { return shares_.size(); }
  template <class Use>
  void each(Use use) const {
    std::int64_t at = 0;
    for (const auto& [rank, share] : shares_) use(rank, std::exchange(at, at + share.bytes), share.bytes);
  }

 private:
  struct Share {
    std::int64_t bytes = 0, next = 0;
  };
  std::map<int, Share> shares_;
};

template <class Steps>
MessageSpace incoming(const Steps& steps) {
  MessageSpace space;
  for (const auto& step : steps)
    for (const ReceiveFromOwner& taken : step.round->receives)
      if (taken.by_message) space.add(taken.owner, taken.count * step.request->plan->element_bytes);
  space.lay_out();
  return space;
}

constexpr const char* reading_words = "reading";

}  // namespace

// What read_in_cycles asks.
class CollectiveRead::Get {
 public:
  Get(CollectiveRead& read, std::shared_ptr<TileSource> source, std::span<const ReadRequest> requests)
      : read_(read), source_(std::move(source)), cycles_(read.cycles_of(*source_, requests)) {}

  std::size_t cycles() const noexcept { return cycles_.size(); }
  const RangeFailure& failure() const noexcept { return failure_; }

  void begin_reading(std::size_t cycle) { reads_ = read_.begin_reading(source_, cycles_[cycle]); }
  void end_reading() { status_ = std::exchange(reads_, false) ? read_.end_reading(*source_) : Status(); }
  void agree_at(std::size_t) {
    read_.parts_.staging.synchronize();
    read_.parts_.agree_at(std::move(status_));
    read_.parts_.staging.synchronize();
  }
  void hand_out(std::size_t cycle) { failure_.merge(read_.hand_out(cycles_[cycle])); }

  // Where the rank has failed meanwhile: what was begun to be read ends before it asks anything else of storage; its
  // outcome is not known to others. Of a catch block.
  void give_up() {
    if (!reads_ || ends_instance(caught().code)) return;  // an instance that ends parts from a storage that may hang
    try {
      static_cast<void>(read_.parts_.storage.end(reading_words));
    } catch (const std::exception&) {
      return;  // the next call finds the storage stuck, and says so
    }
  }

 private:
  CollectiveRead& read_;
  std::shared_ptr<TileSource> source_;
  std::vector<Cycle> cycles_;
  bool reads_ = false;  // something is being read
  Status status_;
  RangeFailure failure_;
};

RangeFailure CollectiveRead::execute(const std::shared_ptr<TileSource>& source, std::span<const ReadRequest> requests) {
  Get get(*this, source, requests);
  try {
    read_in_cycles(get, get.cycles());
  } catch (const std::exception&) {
    get.give_up();
    throw;
  }
  for (int tile_buffer = 0; tile_buffer < fewest_tile_buffers; ++tile_buffer) parts_.staging.hold(tile_buffer, 0);
  parts_.staging.hold_received(0);
  return get.failure();
}

std::vector<CollectiveRead::Cycle> CollectiveRead::cycles_of(const TileSource& source,
                                                             std::span<const ReadRequest> requests) const {
  std::vector<Step> all;
  std::vector<Need> needs;
  for (const ReadRequest& request : requests) {
    for (const ReadRound& round : request.plan->rounds) all.push_back({&request, &round, 0});
    const std::vector<Need> of_request = needs_of(*request.plan, source.first_byte(request.var, request.record));
    needs.insert(needs.end(), of_request.begin(), of_request.end());
  }
  std::vector<Cycle> cycles;
  std::vector<Step> steps;
  const auto add = [&](std::size_t number, std::int64_t tile) {
    steps.push_back(all[number]);
    steps.back().tile = tile;
  };
  each_reading_cycle(parts_.staging.budget(), needs, add, [&](const Need& used) {
    cycles.push_back({std::exchange(steps, {}), used, static_cast<int>(cycles.size()) % fewest_tile_buffers});
  });
  return cycles;
}

// In one call to storage, which may be left behind: it owns the source; the plan and the tile memory stay as long as
// the instance does. False where this rank reads nothing.
bool CollectiveRead::begin_reading(const std::shared_ptr<TileSource>& source, const Cycle& cycle) {
  parts_.staging.hold(cycle.tile_buffer, cycle.used.tile);
  std::vector<TileToRead> tiles;
  for (const Step& step : cycle.steps)
    if (!step.round->stretches.empty())
      tiles.push_back({step.request->var, step.request->record, step.round->stretches,
                       step.request->plan->element_bytes, parts_.staging.own_tile(cycle.tile_buffer, step.tile)});
  if (tiles.empty()) return false;
  before_ = source->count();
  parts_.storage.begin([source, tiles = std::move(tiles)] { return source->read(tiles), Status(); }, reading_words);
  return true;
}

Status CollectiveRead::end_reading(const TileSource& source) {
  const Span span(parts_.trace.main(), weir::Step::read, parts_.tally.read_seconds, {});
  Status status = parts_.storage.end(reading_words);
  parts_.tally.bytes_read += source.count().bytes - before_.bytes;
  parts_.tally.opens += source.count().opens - before_.opens;
  return status;
}

RangeFailure CollectiveRead::hand_out(const Cycle& cycle) {
  const Span span(parts_.trace.main(), weir::Step::get, parts_.tally.get_seconds, {});
  parts_.staging.hold_received(cycle.used.packed + cycle.used.received);
  exchange(cycle);
  return take(cycle);
}

// What owners out of reach have for this rank, and what this one has for others.
void CollectiveRead::exchange(const Cycle& cycle) {
  if (parts_.reach.everybody()) return;
  Staging& staging = parts_.staging;
  MessageSpace outgoing;
  for (const Step& step : cycle.steps)
    for (const SendToRank& given : step.round->sends)
      outgoing.add(given.rank, given.count * step.request->plan->element_bytes);
  outgoing.lay_out();
  const MessageSpace coming = incoming(cycle.steps);
  std::vector<MPI_Request> requests;
  // From here on no want of memory comes between messages that are under way and their end.
  requests.reserve(coming.ranks() + outgoing.ranks());
  const auto begin = [&](auto call, std::byte* memory, int rank, std::int64_t bytes) {
    requests.push_back(MPI_REQUEST_NULL);
    check_mpi(call(memory, static_cast<int>(bytes), MPI_BYTE, rank, message_tag, parts_.comm.raw(), &requests.back()),
              "a message of a get");
  };
  coming.each(
      [&](int rank, std::int64_t at, std::int64_t bytes) { begin(MPI_Irecv, staging.received() + at, rank, bytes); });
  for (const Step& step : cycle.steps)
    for (const SendToRank& given : step.round->sends) {
      const int size = step.request->plan->element_bytes;
      weir::unpack(given.program, staging.own_tile(cycle.tile_buffer, step.tile),
                   staging.packed(outgoing.take(given.rank, given.count * size)), size);
    }
  outgoing.each(
      [&](int rank, std::int64_t at, std::int64_t bytes) { begin(MPI_Isend, staging.packed(at), rank, bytes); });
  wait_all(requests, parts_.deadline(), "messages of a get");
}

RangeFailure CollectiveRead::take(const Cycle& cycle) {
  RangeFailure failure;
  MessageSpace space = incoming(cycle.steps);
  for (const Step& step : cycle.steps)
    for (const ReceiveFromOwner& taken : step.round->receives) {
      const ReadRequest& request = *step.request;
      const std::int64_t bytes = taken.count * request.plan->element_bytes;
      parts_.tally.bytes_got += bytes;
      const std::byte* from = taken.by_message
                                  ? parts_.staging.received() + space.take(taken.owner, bytes)
                                  : parts_.staging.tile(parts_.reach.number(taken.owner), cycle.tile_buffer, step.tile);
      failure.merge(
          decode(taken.program, from, request.external_type, request.values, request.memory_type, request.infinities));
    }
  return failure;
}

}  // namespace weir
