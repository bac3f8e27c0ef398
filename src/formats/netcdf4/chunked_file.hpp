// SPDX-License-Identifier: Apache-2.0
// Allocates space in a netCDF-4 file for compressed chunks, whose length is not known before. netcdf4/chunked_file.cpp
// uses it.
#pragma once

#include <atomic>
#include <cstdint>

#include "mpi/comm.hpp"
#include "mpi/shared_segment.hpp"
#include "plan/machine.hpp"

namespace weir {

// Writers do not wait for each other. On one host they take offsets from one counter in shared memory, and leave no
// gap. Several hosts take blocks of growing length, each host its own; at a commit the unused part of a host's last
// block stays a gap, which takes no space on the disk.
class FileSpace {
 public:
  // Offsets from `begin` on; at most `most` bytes at a time.
  struct Range {
    std::int64_t begin, most;
  };
  // `host`: the ranks of this rank's host.
  // Collective over `host`.
  // Errors: WEIR_EMEMORY.
  FileSpace(const Machine& machine, const Comm& host, int rank, const Range& range, const Deadline& deadline);

  // Returns the offset of `bytes` bytes that no other rank gets. Local.
  // Thread: any, but not during restart().
  std::int64_t take(std::int64_t bytes);
  // Continues from another offset.
  // Requires: all ranks call it, and agree before one takes space.
  void restart(std::int64_t begin) noexcept;

 private:
  // A block; each is twice as long as the one before, up to a limit.
  struct Block {
    std::int64_t begin, bytes;  // begin: in this host's blocks, laid end to end
    std::int64_t end() const noexcept { return begin + bytes; }
  };
  Block block_at(std::int64_t place) const noexcept;
  std::int64_t place_of(std::int64_t used) const noexcept;

  std::int64_t hosts_, host_, longest_block_;
  bool leads_;  // this rank resets the counter
  SharedSegments memory_;
  std::atomic<std::int64_t>* used_;  // of this host's blocks, laid end to end
  std::int64_t begin_;
};

}  // namespace weir
