// SPDX-License-Identifier: Apache-2.0
// Which files of a Zarr folder hold the chunks of an array, and where in them: each chunk is a file, or many lie in one
// with an index (a shard). Source: the Zarr core specification, version 3.1, its chunk key encodings and its codec
// sharding_indexed. Local.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/config.hpp"
#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "formats/chunked/codec.hpp"
#include "formats/chunked/packed_batch.hpp"
#include "plan/box.hpp"

namespace weir {

struct ChunkKeys {
  std::string prefix = "c";
  char separator = '.';
};

// The file at this place in the grid of files: "c.12.0.3".
std::string chunk_key(const ChunkKeys& keys, IndexView place);
// The place of the file with this name; nullopt where it is the name of none.
std::optional<Shape> place_of_key(const ChunkKeys& keys, std::string_view name);

struct ShardIndexForm {
  bool at_end = true;
  bool little_endian = std::endian::native == std::endian::little;
  bool summed = true;  // by crc32c
};

// The index of so many chunks.
std::int64_t index_bytes(const ShardIndexForm& form, std::int64_t chunks) noexcept;

// Of each chunk, the last dimension of the shard fastest: where it begins, and its length.
struct ShardIndex {
  static constexpr std::uint64_t no_chunk = ~std::uint64_t{0};  // both words: no rank wrote it

  std::vector<std::uint64_t> words;
  std::string problem;  // why the file is no whole shard, as a sentence; empty where it is one
};

// As Weir writes it: ShardIndexForm(), in this machine's byte order.
std::vector<std::byte> pack_index(std::span<const std::uint64_t> words);
// Throws Error(WEIR_EIO) where the file does not read.
ShardIndex read_index(const Descriptor& file, const ShardIndexForm& form, std::int64_t chunks);

// The files of an array.
struct ChunkFiles {
  std::string folder;  // within the file's own
  ChunkKeys keys;
  Shape part;                           // of the array, that a file holds; of a scalar empty
  std::optional<ShardIndexForm> index;  // nullopt: a file is a chunk
};

// Writes shards: packed chunks one after another, as they come, then the index with the offset of each. A shard is
// complete before anything refers to it. Used by the thread that writes tiles; one shard at a time. Local.

class ShardFiles {
 public:
  // keeps: false where nothing is to be kept. compressing: stands while files are made and written.
  ShardFiles(bool keeps, Durability durability, CompressClock& compressing)
      : keeps_(keeps), durability_(durability), compressing_(compressing) {}

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
