// SPDX-License-Identifier: Apache-2.0
#include "schedule/memory_budget.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "base/numbers.hpp"
#include "base/text.hpp"

namespace weir {

std::uint32_t PackedRing::in_the_way(std::int64_t bytes) const noexcept {
  const std::int64_t begin = begin_of(bytes), end = begin + bytes;
  for (auto span = spans_.rbegin(); span != spans_.rend(); ++span)
    if (span->begin < end && begin < span->end) return span->cycle;
  return 0;
}

std::int64_t PackedRing::take(std::int64_t bytes, std::uint32_t cycle) {
  const std::int64_t begin = begin_of(bytes);
  if (bytes > 0) spans_.push_back({cycle, begin, begin + bytes});
  head_ = begin + bytes;
  in_use_ += bytes;
  return begin;
}

void PackedRing::give_back(std::uint32_t cycle) noexcept {
  const auto kept =
      std::find_if(spans_.begin(), spans_.end(), [&](const Span& span) { return later(span.cycle, cycle); });
  for (auto span = spans_.begin(); span != kept; ++span) in_use_ -= span->end - span->begin;
  spans_.erase(spans_.begin(), kept);
  if (spans_.empty()) head_ = 0;
}

namespace {

constexpr std::int64_t largest_share = std::numeric_limits<int>::max();  // MPI counts a message's bytes in an int
constexpr std::int64_t alignment = 64;  // a cache line: two ranks then never write one line
// A unit of this many bytes (or bundle_size, if that is larger) on its fullest slot is not made larger.
constexpr std::int64_t unit_bytes = 4LL << 20;
// The same of a series: its holder packs as many records of it at once as a chunk has, so small ones are dealt out more
// evenly.
constexpr std::int64_t series_unit_bytes = 1LL << 20;
// A scheduler's tile buffer is not made smaller than this, and a host has no more of them than this in all, or two for
// each rank: with more, a model that only puts runs through memory that no cache holds.
constexpr std::int64_t fewest_tile_buffer_bytes = 2 * unit_bytes;
constexpr std::int64_t tile_buffers_of_host = most_tile_buffers;

std::int64_t aligned(std::int64_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

// Of tile memory, wherever in a block it begins.
std::int64_t taken(std::int64_t tile_bytes) {
  return aligned(tile_bytes) + (tile_bytes < fewest_aligned_bytes ? 0 : block_bytes);
}

}  // namespace

MemoryShares memory_shares(const Config& config, const Machine& machine, bool messages) {
  const std::int64_t limit = config.buffer_limit_bytes;
  const MemoryParts parts = memory_parts(limit, messages);
  MemoryShares shares{fewest_tile_buffers, limit / 4, parts.message_bytes};
  // A control rank counts the tile buffers of the others, and does not know their memory.
  if (config.strategy == StrategyKind::dynamic && !has_control_rank(config)) {
    std::int64_t ranks = 1;
    for (const std::vector<int>& of_host : machine.ranks_of) ranks = std::max(ranks, std::ssize(of_host));
    const std::int64_t tile_buffers =
        std::min(parts.tile_bytes / fewest_tile_buffer_bytes, tile_buffers_of_host / ranks);
    shares.tile_buffers = static_cast<int>(std::max<std::int64_t>(fewest_tile_buffers, tile_buffers));
    shares.tile_bytes = std::min(parts.tile_bytes / shares.tile_buffers, std::max(limit / 4, fewest_tile_buffer_bytes));
  }
  shares.tile_bytes = std::min(shares.tile_bytes, largest_share) / alignment * alignment;
  shares.message_bytes = std::min(shares.message_bytes, largest_share) / alignment * alignment;
  return shares;
}

Need need_of(const Reserve& most, int element_bytes, std::int64_t first_byte) noexcept {
  return {most.tile * element_bytes, most.packed * element_bytes, most.received * element_bytes,
          first_byte % block_bytes};
}

MemoryBudget::MemoryBudget(const MemoryShares& shares, bool passes_on)
    : shares_(shares),
      passed_(passes_on ? shares.message_bytes / 2 / alignment * alignment : 0),
      ring_(shares.message_bytes) {}

MemoryBudget::MemoryBudget(const Config& config, const Machine& machine, bool shared_memory)
    : MemoryBudget(memory_shares(config, machine, needs_messages(machine, shared_memory)), passes_on(config)) {}

bool MemoryBudget::possible(const Need& need) const noexcept {
  return taken(need.tile) <= shares_.tile_bytes && aligned(need.packed) <= packed_limit() &&
         need.received <= shares_.message_bytes;
}

bool MemoryBudget::fits(const Need& need) const noexcept {
  return used_.tile + taken(need.tile) <= shares_.tile_bytes && used_.packed + aligned(need.packed) <= packed_limit() &&
         used_.received + need.received <= shares_.message_bytes;
}

std::uint32_t MemoryBudget::in_the_way(const Need& need) const noexcept {
  return ring_.in_the_way(aligned(need.packed));
}

RoomStep MemoryBudget::next_step(const Need& need, bool open, std::uint32_t number) const noexcept {
  if (!open) return RoomStep::begin_cycle;
  const std::uint32_t earlier = in_the_way(need);
  if (!fits(need) || earlier == number) return RoomStep::finish_cycle;
  return earlier == 0 ? RoomStep::reserve : RoomStep::await_messages;
}

Reservation MemoryBudget::reserve(const Need& need, std::uint32_t cycle) {
  Reservation reservation{used_.tile, ring_.take(aligned(need.packed), cycle)};
  if (need.tile >= fewest_aligned_bytes) reservation.tile += missing_to(used_.tile, need.offset_in_block, block_bytes);
  used_.tile += taken(need.tile);
  used_.packed += aligned(need.packed);
  used_.received += need.received;
  return reservation;
}

int more_rounds(int rounds, const std::vector<Need>& needs, const MemoryBudget& budget, const PlanRequest& request) {
  const MemoryShares& shares = budget.shares();
  std::int64_t times = 1;  // more than there are now
  bool possible = true;
  for (const Need& need : needs) {
    possible = possible && budget.possible(need);
    const std::int64_t messages = std::max(need.packed, need.received);
    times = std::max(times, need.tile / shares.tile_bytes + 1);
    if (messages > 0) times = std::max(times, messages / shares.message_bytes + 1);
  }
  if (possible) return 0;
  const std::int64_t parts = granules_in(request.granule, elements(request.shape));
  require(rounds < parts || request.granule.any(), WEIR_EMEMORY,
          "buffer_limit is too small to plan one element: raise it");
  if (rounds >= parts) {
    throw Error(WEIR_EMEMORY,
                "the chunks that lie side by side take {}, more than buffer_limit leaves for a tile ({}): raise it, or "
                "make chunks shorter along the slowest dimension",
                show_bytes(request.granule.elements * request.element_bytes), show_bytes(shares.tile_bytes));
  }
  return static_cast<int>(
      std::min<std::int64_t>(std::max<std::int64_t>(rounds * times, std::int64_t{rounds} + 1), parts));
}

bool ends_with_record(std::int64_t tile_bytes, bool collective, const Config& config) noexcept {
  return config.overlap != OverlapKind::none && !collective && tile_bytes >= config.bundle_bytes;
}

bool cycle_is_full(std::int64_t tile_bytes, bool fixed_owners, std::int64_t series, const Config& config) noexcept {
  const std::int64_t enough = series != 0 ? series_unit_bytes : unit_bytes;
  return !fixed_owners && tile_bytes >= std::max(enough, config.bundle_bytes);
}

}  // namespace weir
