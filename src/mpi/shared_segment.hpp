// SPDX-License-Identifier: Apache-2.0
// Memory that the ranks of a host share: each rank has a segment, and accesses those of its neighbours.
// engine/staging.hpp and mpi/event_list.hpp use it.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "mpi/comm.hpp"

namespace weir {

// Segments begin zeroed; pages cost nothing until they are touched. A segment is an unnamed file in memory, which the
// neighbours open as this process's (/proc/PID/fd/N). It is freed with the last rank that has it, even if others have
// died, and freeing it waits for no rank (MPI's shared windows are freed by all ranks together, without a deadline).
class SharedSegments {
 public:
  SharedSegments() = default;
  // Gives each rank of `host` a segment of `bytes`, which begins at a page.
  // Collective over `host`.
  // Errors: WEIR_EMEMORY, the same on all ranks of the host.
  SharedSegments(const Comm& host, std::int64_t bytes, const Deadline& deadline = Deadline());

  // Returns the segment of a rank of the host communicator.
  std::byte* of(int host_rank) const noexcept { return segments_[static_cast<std::size_t>(host_rank)].get(); }
  // Makes what this rank wrote visible, and what others wrote readable, around a barrier. Local.
  void synchronize() const noexcept;

 private:
  struct Unmap {
    std::size_t bytes;
    void operator()(std::byte* memory) const noexcept;
  };
  using Segment = std::unique_ptr<std::byte[], Unmap>;
  static Segment map(int descriptor, std::int64_t bytes);

  std::vector<Segment> segments_;
};

}  // namespace weir
