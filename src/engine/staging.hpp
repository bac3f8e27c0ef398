// SPDX-License-Identifier: Apache-2.0
// The memory of the cycles: tile memory, which the ranks of a host share, outgoing messages and received messages. It
// is mapped at the start, together buffer_limit (contract 5). How it is shared out is in schedule/memory_budget.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "mpi/host_status.hpp"
#include "mpi/shared_segment.hpp"
#include "schedule/memory_budget.hpp"

namespace weir {

// Tile memory has a few tile buffers: while one is written, others are filled. Memory is reserved by amounts on which
// all ranks have agreed, so a reservation has the same offset on every rank, and all run full at the same put.
// Local, except the constructor. Thread: the thread of the rank's calls; tile() and own_tile(): any.
class Staging {
 public:
  // `shared`: the ranks of a host access each other's tile memory. `messages`: pieces go by message. `passes_on`:
  // received messages are also passed on; half of their memory is kept for these, and no rank sends more than that in a
  // cycle.
  struct Use {
    bool shared, messages, passes_on;
  };
  // Maps memory for buffer_limit, shared out by `shares`.
  // Collective over `host` if `use.shared`.
  // Errors: WEIR_EMEMORY.
  Staging(const Comm& host, Use use, std::int64_t buffer_limit_bytes, const MemoryShares& shares,
          const Deadline& deadline);
  // Shares out the memory anew.
  // Requires: all ranks of the host are drained.
  void share_out(const MemoryShares& shares);

  const MemoryBudget& budget() const noexcept { return budget_; }
  // These are the budget's (schedule/memory_budget.hpp).
  int tile_buffers() const noexcept { return budget_.shares().tile_buffers; }
  Reservation reserve(const Need& need, std::uint32_t cycle);
  void close() noexcept { budget_.close(); }
  void give_back(std::uint32_t cycle) noexcept { budget_.give_back(cycle); }
  // Tile bytes of the open cycle so far, of the rank that needs most.
  std::int64_t tile_bytes() const noexcept { return budget_.used().tile; }
  // Notes how many bytes of this tile buffer the rank uses, for the report; 0: none.
  void hold(int tile_buffer, std::int64_t bytes) noexcept;
  // Notes how many bytes of received messages the rank keeps outside cycles, for the report.
  void hold_received(std::int64_t bytes) noexcept;

  // Returns an offset of a tile buffer of a rank of the host. If memory is not shared, the buffer is this rank's.
  std::byte* tile(int host_rank, int tile_buffer, std::int64_t at) const noexcept;
  std::byte* own_tile(int tile_buffer, std::int64_t at) const noexcept { return tile(own_rank_, tile_buffer, at); }
  // Return the memory for outgoing messages at an offset, and for received messages.
  std::byte* packed(std::int64_t at) noexcept { return packed_.get() + at; }
  std::byte* received() noexcept { return received_.get(); }
  // As SharedSegments::synchronize().
  void synchronize() const { segments_.synchronize(); }

  // Return the entries of the host's ranks in shared memory; empty if memory is not shared.
  std::vector<HostStatus::Entry*> status_entries() const;
  std::vector<HostReduction::Slot*> reduction_slots() const;
  // The most bytes that this rank has used at a time.
  std::int64_t high_water_bytes() const noexcept { return high_water_; }
  // The most bytes that any rank of the host has used; of this rank if memory is not shared.
  std::int64_t host_high_water_bytes() const noexcept;
  // Leaks the message memory after a timeout, since lost MPI requests may still use it.
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
  std::vector<std::int64_t> held_;  // in each tile buffer
  std::int64_t held_received_ = 0;
  std::int64_t high_water_ = 0;
};

}  // namespace weir
