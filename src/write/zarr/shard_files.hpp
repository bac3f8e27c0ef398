// SPDX-License-Identifier: Apache-2.0
// Writes shards: packed chunks one after another, as they come, then the index with the offset of each. A shard is
// complete before anything refers to it. Used by the thread that writes tiles; one shard at a time. Local.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <vector>

#include "base/config.hpp"
#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "write/packing/compress_clock.hpp"
#include "write/packing/packed_batch.hpp"

namespace weir {

class StorageClock;

class ShardFiles {
 public:
  // keeps: false where nothing is to be kept. storage: where given, writing is no faster than this.
  // compressing: stands while files are made and written.
  ShardFiles(bool keeps, Durability durability, const StorageClock* storage, CompressClock& compressing)
      : keeps_(keeps), durability_(durability), storage_(storage), compressing_(compressing) {}

  // Begins `folder/name` in place of what is there, with the folders between them; 0 chunks: it is one chunk, and has
  // no index.
  Status begin(const std::string& folder, const std::string& name, std::int64_t chunks);
  // The packed chunk goes to the end of packed(), then take() is told of it, ascending. What lies elsewhere stays there
  // until end().
  PackedBatch& packed() noexcept { return batch_; }
  Status take(std::int64_t chunk);
  Status end();
  // All that was written is on stable storage, the names too.
  Status make_durable();

  std::int64_t bytes_written() const noexcept { return bytes_written_; }

 private:
  Status write_batch();
  int write_extents();
  Status sync_oldest();

  bool keeps_;
  Durability durability_;
  const StorageClock* storage_;
  CompressClock& compressing_;
  std::string folder_;
  Descriptor file_{-1, ""};
  std::vector<std::uint64_t> index_;      // of each chunk: where it begins, and its length
  PackedBatch batch_;                     // what is not in the file yet
  std::int64_t written_ = 0, taken_ = 0;  // bytes in the file; those and of the batch that belong to chunks
  std::deque<Descriptor> unsynced_;
  std::set<std::string> folders_;  // with new names
  std::atomic<std::int64_t> bytes_written_ = 0;
};

}  // namespace weir
