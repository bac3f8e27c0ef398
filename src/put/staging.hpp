// SPDX-License-Identifier: Apache-2.0
// The memory of a cycle, all of it: tile memory (in segments that the ranks of a host share, in two halves: while one
// is written the other is filled), messages to send, messages received. A quarter of buffer_limit each, so that no rank
// ever holds more than buffer_limit (contract 5). Memory is reserved by amounts that all ranks have agreed on, so the
// same place is the same offset on every rank and all run full at the same put.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "mpi/board.hpp"
#include "mpi/shared_segment.hpp"

namespace weir {

// Bytes that one round of one put needs on the neediest rank.
struct Need {
  std::int64_t tile = 0;
  std::int64_t packed = 0;
  std::int64_t received = 0;
};

// Where a round's memory begins, in bytes.
struct Place {
  std::int64_t tile = 0;    // in the current half of every rank's segment
  std::int64_t packed = 0;  // in the send memory
};

class Staging {
 public:
  // Collective over `host`. shared: ranks of the host reach each other's tile memory.
  Staging(const Comm& host, bool shared, std::int64_t buffer_limit_bytes);

  // The most of each kind that one cycle may need.
  std::int64_t budget_bytes() const noexcept { return budget_; }
  bool possible(const Need& need) const noexcept;
  bool fits(const Need& need) const noexcept;
  // Call only if it fits. Local, alike on all ranks.
  Place reserve(const Need& need);

  // Tile memory of a rank of the host (of this rank's own, if the memory is not shared) at an offset of the current
  // half.
  std::byte* tile(int host_rank, std::int64_t at) const noexcept;
  std::byte* own_tile(std::int64_t at) const noexcept { return tile(own_rank_, at); }
  std::byte* packed(std::int64_t at) noexcept { return packed_.get() + at; }
  std::byte* received() noexcept { return received_.get(); }
  void synchronize() const { segments_.synchronize(); }

  // Begins the half for the cycle after `cycle` cycles: it was last used by the cycle before that one.
  void turn(std::uint32_t cycle) noexcept;
  // The slots of the host's ranks; empty where no memory is shared.
  std::vector<Board::Slot*> board_slots(int host_ranks) const;
  // Most bytes this rank has reserved at any time.
  std::int64_t high_water_bytes() const noexcept { return high_water_; }
  // After a timeout: gives up what lost requests may still read or write.
  void abandon() noexcept;

 private:
  struct Unmap {
    std::size_t bytes;
    void operator()(std::byte* memory) const noexcept;
  };
  using Memory = std::unique_ptr<std::byte[], Unmap>;
  static Memory map_memory(std::int64_t bytes);

  std::int64_t budget_;
  int own_rank_;
  bool shared_;
  SharedSegments segments_;
  Memory private_tiles_, packed_, received_;
  Need used_;
  std::int64_t half_ = 0;
  std::int64_t last_half_tile_ = 0;
  std::int64_t high_water_ = 0;
};

}  // namespace weir
