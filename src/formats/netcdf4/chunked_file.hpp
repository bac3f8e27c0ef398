// SPDX-License-Identifier: Apache-2.0
// A netCDF-4 file of packed chunks, and where in it the chunks go.
#pragma once

#include <atomic>
#include <cstdint>

#include "mpi/comm.hpp"
#include "mpi/shared_segment.hpp"
#include "plan/machine.hpp"

namespace weir {

// Allocates file space for compressed chunks. Their length is unknown before compression, and writers do not wait for
// each other: on one host they take offsets from one counter in shared memory, so that they leave no gap. Several hosts
// take blocks of growing length, each host its own; the unused part of a host's last block at a commit stays a gap,
// which takes no room on the disk.

class FileSpace {
 public:
  // Places are given from `begin` on, of up to `most` bytes at a time. `host`: the ranks of this rank's host.
  // Collective over it; throws Error(WEIR_EMEMORY).
  struct Range {
    std::int64_t begin, most;
  };
  FileSpace(const Machine& machine, const Comm& host, int rank, const Range& range, const Deadline& deadline);

  // So many bytes that no other rank gets. Any rank and thread, but not around restart().
  std::int64_t take(std::int64_t bytes);
  // From another place on. By all ranks, which meet before the next one is taken.
  void restart(std::int64_t begin) noexcept;

 private:
  // A block of the series in which each is twice as long as the one before, up to a limit.
  struct Block {
    std::int64_t begin, bytes;  // begin: of this host's blocks, laid end to end
    std::int64_t end() const noexcept { return begin + bytes; }
  };
  Block block_at(std::int64_t place) const noexcept;
  std::int64_t place_of(std::int64_t used) const noexcept;

  std::int64_t hosts_, host_, longest_block_;
  bool leads_;  // this rank sets the number
  SharedSegments memory_;
  std::atomic<std::int64_t>* used_;  // of this host's blocks, laid end to end
  std::int64_t begin_;
};

}  // namespace weir
