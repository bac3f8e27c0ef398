// SPDX-License-Identifier: Apache-2.0
// All memory of the cycles: tile memory (in segments that the ranks of a host share, each with a few tile buffers:
// while one is written others are filled), outgoing messages, received messages. Together buffer_limit
// (memory_budget.hpp), so that no rank ever holds more than that (contract 5). Memory is reserved by amounts that all
// ranks have agreed on, so a reservation has the same offset on every rank and all run full at the same put.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "mpi/host_status.hpp"
#include "mpi/shared_segment.hpp"
#include "schedule/memory_budget.hpp"

namespace weir {

class Staging {
 public:
  // shared: ranks of the host reach each other's tile memory. messages: pieces travel by them. passes_on: messages
  // received are also passed on, so half of their memory is kept for these, and no rank sends more than that in a
  // cycle.
  struct Use {
    bool shared, messages, passes_on;
  };
  // Collective over `host`. Memory for buffer_limit, shared out as said; `shares` may be others later.
  Staging(const Comm& host, Use use, std::int64_t buffer_limit_bytes, const MemoryShares& shares,
          const Deadline& deadline);
  // Shares out the memory anew, where nothing is under way on any rank of the host.
  void share_out(const MemoryShares& shares);

  const MemoryBudget& budget() const noexcept { return budget_; }
  // As the budget's (schedule/memory_budget.hpp).
  int tile_buffers() const noexcept { return budget_.shares().tile_buffers; }
  Reservation reserve(const Need& need, std::uint32_t cycle);
  void close() noexcept { budget_.close(); }
  void give_back(std::uint32_t cycle) noexcept { budget_.give_back(cycle); }
  // The open cycle's tile bytes so far, of the neediest rank.
  std::int64_t tile_bytes() const noexcept { return budget_.used().tile; }
  // So many bytes of tile memory are this rank's in one of its places; 0: none any more. For the report.
  void hold(int tile_buffer, std::int64_t bytes) noexcept;
  // So many bytes of the memory for messages received are in use, besides what cycles reserve. For the report.
  void hold_received(std::int64_t bytes) noexcept;

  // Tile memory of a rank of the host (of this rank's own, if the memory is not shared) at an offset of a place.
  std::byte* tile(int host_rank, int tile_buffer, std::int64_t at) const noexcept;
  std::byte* own_tile(int tile_buffer, std::int64_t at) const noexcept { return tile(own_rank_, tile_buffer, at); }
  std::byte* packed(std::int64_t at) noexcept { return packed_.get() + at; }
  std::byte* received() noexcept { return received_.get(); }
  void synchronize() const { segments_.synchronize(); }

  // The slots of the host's ranks; empty where no memory is shared.
  std::vector<HostStatus::Entry*> status_entries() const;
  std::vector<HostReduction::Slot*> reduction_slots() const;
  // Most bytes this rank has held at any time.
  std::int64_t high_water_bytes() const noexcept { return high_water_; }
  // Most that any rank of the host has held; where no memory is shared, this rank.
  std::int64_t host_high_water_bytes() const noexcept;
  // After a timeout: gives up what lost requests may still read or write.
  void abandon() noexcept;

 private:
  struct Slots;
  Slots& slots(int host_rank) const noexcept;
  template <class Slot>
  std::vector<Slot*> slots_of_all(Slot Slots::*which) const;

  struct Unmap {
    std::size_t bytes;
    void operator()(std::byte* memory) const noexcept;
  };
  using Memory = std::unique_ptr<std::byte[], Unmap>;
  static Memory map_memory(std::int64_t bytes);
  void note_high_water() noexcept;

  MemoryBudget budget_;
  int own_rank_, host_ranks_;
  Use use_;
  SharedSegments segments_;
  Memory private_tiles_, packed_, received_;
  std::vector<std::int64_t> held_;  // in each place
  std::int64_t held_received_ = 0;
  std::int64_t high_water_ = 0;
};

}  // namespace weir
