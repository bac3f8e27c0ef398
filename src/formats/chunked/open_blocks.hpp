// SPDX-License-Identifier: Apache-2.0
// Blocks of several records that are not packed yet. A block is what is packed as one: a chunk of netCDF-4, a shard of
// Zarr. Its records come one after another, in tiles that different ranks may hold. A rank stores its share of a record
// (a piece) until the block is whole, or until the ranks meet; then all pieces of a block go to one rank, which packs
// it. chunked/packed_file.hpp uses it.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "formats/chunked/packed_batch.hpp"
#include "mpi/comm.hpp"

namespace weir {

// row: the number of the block along the record dimension; number: in the grid of a record.
struct BlockKey {
  std::int64_t var, row, number;
  auto operator<=>(const BlockKey&) const = default;
};

// What a rank has of an open block; no bytes if it asks for the block without a piece.
struct BlockHead {
  BlockKey key;
  std::int64_t rank, bytes;
};

// Who packs an open block, and what the file has of it.
struct BlockTask {
  BlockKey key = {};
  std::int64_t rank = 0;
  std::int64_t moved_bytes = 0;                      // that other ranks send to it
  std::int64_t stored_records = 0;                   // the first records of the block that the file has; 0: none
  std::int64_t uncommitted = 0;                      // 1: what the file has was written since the last commit
  std::int64_t address = 0, bytes = 0, skipped = 0;  // netCDF-4: where it is, and the filters that it skipped
};

// Deals open blocks out. One that a single rank has stays there. One that several have goes to that of them which then
// has least to do: a byte that it gets from another rank counts as one that it packs. Ascending by key. Pure.
std::vector<BlockTask> deal_blocks(std::vector<BlockHead> heads, int ranks);

// What a rank has of an open block.
struct OpenBlock {
  UninitializedBuffer values;  // of all records, in external form; those of records that are here are set
  std::map<std::int64_t, std::int64_t> generations;  // by record of the block that is here; larger for a later put
};

// The open blocks of a rank. Local, but for exchange().
// Thread: one at a time.
class OpenBlocks {
 public:
  // piece_bytes: of a record of the block.
  struct Size {
    std::int64_t records, piece_bytes;
  };
  // Makes a block open without a piece, if it is not: it is dealt out as the others.
  void open(const BlockKey& key) { blocks_[key]; }
  // Returns where the caller puts the piece of a record, all of it, with the fill value beyond the edges of the
  // variable. nullptr: the piece of a later put is there.
  std::byte* place(const BlockKey& key, Size size, std::int64_t record, std::int64_t generation);
  // Returns how many records of a block are here.
  std::int64_t records(const BlockKey& key) const;
  // Removes a block. Requires: it is here.
  OpenBlock take(const BlockKey& key);
  std::vector<BlockHead> heads(int rank) const;
  // Bytes of all pieces.
  std::int64_t bytes() const noexcept { return bytes_; }

  // Sends the pieces of blocks to the ranks that have the tasks, in rounds of limited size.
  // Requires: `tasks` are the same on all ranks.
  // Collective. Errors: as deliver() (mpi/exchange.hpp).
  void exchange(const Comm& comm, std::span<const BlockTask> tasks, const WaitLimit& wait);

 private:
  void send(const Comm& comm, std::span<const BlockTask> tasks, const WaitLimit& wait);

  struct SizedBlock : OpenBlock {
    Size size{};  // of one that has a piece
    std::int64_t bytes() const noexcept { return std::ssize(generations) * size.piece_bytes; }
  };

  std::map<BlockKey, SizedBlock> blocks_;
  std::int64_t bytes_ = 0;
  int tag_ = 0;
};

}  // namespace weir
