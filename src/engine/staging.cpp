// SPDX-License-Identifier: Apache-2.0
#include "engine/staging.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <numeric>

#include "base/numbers.hpp"
#include "base/pages.hpp"
#include "base/text.hpp"

namespace weir {

namespace {

constexpr std::int64_t whole_blocks(std::int64_t bytes) {
  return bytes + missing_to(bytes, 0, block_bytes);
}
}  // namespace

// At the beginning of a shared segment.
struct Staging::Slots {
  HostStatus::Entry host_status;
  HostReduction::Slot reduction;
  std::atomic<std::int64_t> high_water;
};

void Staging::Unmap::operator()(std::byte* memory) const noexcept {
  munmap(memory, bytes);
}

// Pages that were never touched cost nothing, so the whole budget can be mapped at once and nothing is allocated later.
Staging::Memory Staging::map_memory(std::int64_t bytes) {
  const auto size = static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1));
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  require(memory != MAP_FAILED, WEIR_EMEMORY, "the system cannot provide {} bytes of memory: lower buffer_limit", size);
  ask_for_large_pages(memory, size);
  return Memory(static_cast<std::byte*>(memory), Unmap{size});
}

Staging::Staging(const Comm& host, Use use, std::int64_t buffer_limit_bytes, const MemoryShares& shares,
                 const Deadline& deadline)
    : budget_(shares, use.passes_on),
      own_rank_(host.rank()),
      host_ranks_(host.size()),
      use_(use),
      held_(static_cast<std::size_t>(shares.tile_buffers)) {
  const auto parts = memory_parts(buffer_limit_bytes, use.messages);
  const std::int64_t tiles = whole_blocks(parts.tile_bytes);
  const std::int64_t edges = most_tile_buffers * block_bytes;  // each tile buffer begins with a block
  if (use.shared)
    segments_ = SharedSegments(host, whole_blocks(sizeof(Slots)) + tiles + edges, deadline);
  else
    private_tiles_ = map_memory(tiles + edges);
  // After what the ranks of a host do together: a rank that is refused memory here keeps no other rank waiting.
  packed_ = map_memory(parts.message_bytes);
  received_ = map_memory(parts.message_bytes);
}

void Staging::share_out(const MemoryShares& shares) {
  budget_ = MemoryBudget(shares, use_.passes_on);
  held_.assign(static_cast<std::size_t>(shares.tile_buffers), 0);
}

Reservation Staging::reserve(const Need& need, std::uint32_t cycle) {
  const Reservation reservation = budget_.reserve(need, cycle);
  note_high_water();
  return reservation;
}

void Staging::hold(int tile_buffer, std::int64_t bytes) noexcept {
  held_[static_cast<std::size_t>(tile_buffer)] = bytes;
  note_high_water();
}

void Staging::hold_received(std::int64_t bytes) noexcept {
  held_received_ = bytes;
  note_high_water();
}

void Staging::note_high_water() noexcept {
  const std::int64_t tiles = std::accumulate(held_.begin(), held_.end(), std::int64_t{0});
  const std::int64_t now = tiles + budget_.packed_in_use() + budget_.used().received + held_received_;
  if (now <= high_water_) return;
  high_water_ = now;
  if (use_.shared) slots(own_rank_).high_water.store(now, std::memory_order_relaxed);
}

std::int64_t Staging::host_high_water_bytes() const noexcept {
  std::int64_t most = high_water_;
  for (int rank = 0; use_.shared && rank < host_ranks_; ++rank)
    most = std::max(most, slots(rank).high_water.load(std::memory_order_relaxed));
  return most;
}

std::byte* Staging::tile(int host_rank, int tile_buffer, std::int64_t at) const noexcept {
  std::byte* base = use_.shared ? segments_.of(host_rank) + whole_blocks(sizeof(Slots)) : private_tiles_.get();
  return base + tile_buffer * whole_blocks(budget_.shares().tile_bytes) + at;
}

Staging::Slots& Staging::slots(int host_rank) const noexcept {
  return *reinterpret_cast<Slots*>(segments_.of(host_rank));
}

template <class Slot>
std::vector<Slot*> Staging::slots_of_all(Slot Slots::*which) const {
  std::vector<Slot*> all;
  for (int rank = 0; use_.shared && rank < host_ranks_; ++rank) all.push_back(&(slots(rank).*which));
  return all;
}

std::vector<HostStatus::Entry*> Staging::status_entries() const {
  return slots_of_all(&Slots::host_status);
}

std::vector<HostReduction::Slot*> Staging::reduction_slots() const {
  return slots_of_all(&Slots::reduction);
}

void Staging::abandon() noexcept {
  (void)packed_.release();
  (void)received_.release();
}

}  // namespace weir
