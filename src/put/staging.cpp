// SPDX-License-Identifier: Apache-2.0
#include "put/staging.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <numeric>

#include "base/blocks.hpp"

namespace weir {

namespace {

constexpr std::int64_t whole_blocks(std::int64_t bytes) {
  return bytes + missing_to(bytes, 0, block_bytes);
}
}  // namespace

// At the beginning of a shared segment.
struct Staging::Slots {
  HostStatus::Entry host_status;
  HostMeeting::Slot meeting;
};

void Staging::Unmap::operator()(std::byte* memory) const noexcept {
  munmap(memory, bytes);
}

// Pages that were never touched cost nothing, so the whole budget can be mapped at once and nothing is allocated later.
Staging::Memory Staging::map_memory(std::int64_t bytes) {
  const auto size = static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1));
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  require(memory != MAP_FAILED, WEIR_EMEMORY,
          "the machine has no " + std::to_string(bytes) + " bytes for Weir: lower buffer_limit");
  return Memory(static_cast<std::byte*>(memory), Unmap{size});
}

Staging::Staging(const Comm& host, Use use, std::int64_t buffer_limit_bytes, const MemoryShares& shares,
                 const Deadline& deadline)
    : budget_(shares, use.passes_on),
      own_rank_(host.rank()),
      use_(use),
      packed_(map_memory(use.messages ? buffer_limit_bytes / 4 : 0)),
      received_(map_memory(use.messages ? buffer_limit_bytes / 4 : 0)),
      held_(static_cast<std::size_t>(shares.places)) {
  const std::int64_t tiles = whole_blocks(use.messages ? buffer_limit_bytes / 2 : buffer_limit_bytes);
  const std::int64_t edges = most_places * block_bytes;  // each place begins with a block
  if (use.shared)
    segments_ = SharedSegments(host, whole_blocks(sizeof(Slots)) + tiles + edges, deadline);
  else
    private_tiles_ = map_memory(tiles + edges);
}

void Staging::share_out(const MemoryShares& shares) {
  budget_ = MemoryBudget(shares, use_.passes_on);
  held_.assign(static_cast<std::size_t>(shares.places), 0);
}

Reservation Staging::reserve(const Need& need, std::uint32_t cycle) {
  const Reservation place = budget_.reserve(need, cycle);
  note_high_water();
  return place;
}

void Staging::hold(int place, std::int64_t bytes) noexcept {
  held_[static_cast<std::size_t>(place)] = bytes;
  note_high_water();
}

void Staging::hold_received(std::int64_t bytes) noexcept {
  held_received_ = bytes;
  note_high_water();
}

void Staging::note_high_water() noexcept {
  const std::int64_t tiles = std::accumulate(held_.begin(), held_.end(), std::int64_t{0});
  high_water_ = std::max(high_water_, tiles + budget_.packed_in_use() + budget_.used().received + held_received_);
}

std::byte* Staging::tile(int host_rank, int place, std::int64_t at) const noexcept {
  std::byte* base = use_.shared ? segments_.of(host_rank) + whole_blocks(sizeof(Slots)) : private_tiles_.get();
  return base + place * whole_blocks(budget_.shares().tile_bytes) + at;
}

template <class Slot>
std::vector<Slot*> Staging::slots(int host_ranks, Slot Slots::*which) const {
  std::vector<Slot*> all;
  for (int rank = 0; use_.shared && rank < host_ranks; ++rank)
    all.push_back(&(reinterpret_cast<Slots*>(segments_.of(rank))->*which));
  return all;
}

std::vector<HostStatus::Entry*> Staging::status_entries(int host_ranks) const {
  return slots(host_ranks, &Slots::host_status);
}

std::vector<HostMeeting::Slot*> Staging::meeting_slots(int host_ranks) const {
  return slots(host_ranks, &Slots::meeting);
}

void Staging::abandon() noexcept {
  (void)packed_.release();
  (void)received_.release();
}

}  // namespace weir
