// SPDX-License-Identifier: Apache-2.0
// Allocates space in a netCDF-4 file for packed chunks, whose length is not known before. netcdf4/chunked_file.cpp uses
// it.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "mpi/comm.hpp"
#include "mpi/shared_segment.hpp"

namespace weir {

// Bytes [begin, end) of a file.
struct FileRange {
  std::int64_t begin, end;
  std::int64_t bytes() const noexcept { return end - begin; }
};

// The first chunks of a list, which go one after another from `begin` on.
struct ChunkRun {
  std::int64_t begin;
  std::size_t chunks;
};

// The writers' side. Writers do not wait for each other. On one host they take offsets from one counter in shared
// memory, and leave no gap. Several hosts take blocks, each host its own. A block has an eighth of what the host has
// taken since the last commit, within limits, and is a multiple of the largest chunk. What is left of blocks goes back
// to FreeSpace at a commit.
class FileSpace {
 public:
  // Where offsets begin; the bytes of the largest chunk before it is packed, and the most that packing makes of one.
  struct Range {
    std::int64_t begin, chunk, most;
  };
  // `writing_hosts`: those whose ranks take space, ascending; `host`: this rank's; `comm`: its ranks.
  // Collective over `comm`.
  // Errors: WEIR_EMEMORY.
  FileSpace(std::span<const int> writing_hosts, int host, const Comm& comm, const Range& range,
            const Deadline& deadline);

  // The hosts that write. Where there are several, they take blocks. The same on all ranks.
  std::int64_t hosts() const noexcept { return hosts_; }
  bool has_blocks() const noexcept { return hosts_ > 1; }
  // Returns a place that no other rank gets for the first chunk of these lengths, and those after it that fit there
  // too. Local. Requires: there is a chunk. Thread: any, but not during restart(). Errors: WEIR_EINTERNAL if this host
  // is not one of those that write.
  ChunkRun take(std::span<const std::int64_t> lengths);
  // Continues from another offset. borrow(): and first in a gap that FreeSpace has lent, one for each writing host.
  // Requires: all ranks call it, and agree before one takes space.
  void restart(std::int64_t begin) noexcept;
  void borrow(std::span<const FileRange> lent) noexcept;

 private:
  struct Block {
    std::int64_t begin, bytes;  // begin: in this host's blocks, laid end to end
    std::int64_t end() const noexcept { return begin + bytes; }
  };
  Block block_at(std::int64_t place) const noexcept;
  std::int64_t place_of(std::int64_t used) const noexcept;

  std::int64_t hosts_, host_, chunk_, first_block_, longest_block_;
  bool leads_;  // this rank resets the counter
  SharedSegments memory_;
  std::atomic<std::int64_t>* used_;  // of this host's blocks, laid end to end
  std::int64_t begin_;
  FileRange borrowed_{};  // the host's first block
};

// Rank 0's side: the gaps that writers have left, and the end of what they took. Pure, Local.
class FreeSpace {
 public:
  // Goes on behind `end`. Gaps before it stay.
  void set_end(std::int64_t end) noexcept { end_ = end; }
  // Notes what writers have taken, of what was lent and behind the end; what lies between becomes gaps.
  void note_taken(std::vector<FileRange> taken);
  // Returns a place for the first chunk of these lengths, and those after it that fit there too: in the smallest gap
  // that has room for all, in the largest that has room for one, or at the end. Requires: there is a chunk.
  ChunkRun take(std::span<const std::int64_t> lengths);
  // Returns up to `count` gaps, the largest; they are lent until the next note_taken().
  std::vector<FileRange> lend(std::int64_t count);
  std::int64_t end() const noexcept { return end_; }

 private:
  void add_gap(std::int64_t begin, std::int64_t end);

  std::int64_t end_ = 0;
  std::multimap<std::int64_t, std::int64_t> gaps_;  // offsets by length
  std::vector<FileRange> lent_;
};

}  // namespace weir
