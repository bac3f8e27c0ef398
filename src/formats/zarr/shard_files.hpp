// SPDX-License-Identifier: Apache-2.0
// The files of an array in a Zarr folder: each is a chunk, or has many chunks and an index (a shard). Names, indices,
// and the writing of shards. Source: the Zarr core specification, version 3.1, its chunk key encodings and its codec
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

// How files are named.
struct ChunkKeys {
  std::string prefix = "c";
  char separator = '.';
};

// Returns the name of the file at this place in the grid of files: "c.12.0.3".
std::string chunk_key(const ChunkKeys& keys, IndexView place);
// Returns the place of the file with this name; nullopt if it is the name of none.
std::optional<Shape> place_of_key(const ChunkKeys& keys, std::string_view name);

// The form of an index.
struct ShardIndexForm {
  bool at_end = true;
  bool little_endian = std::endian::native == std::endian::little;
  bool summed = true;  // with crc32c
};

// Returns the bytes of an index of `chunks` chunks.
std::int64_t index_bytes(const ShardIndexForm& form, std::int64_t chunks) noexcept;

// For each chunk, the last dimension of the shard fastest: its offset and its length.
struct ShardIndex {
  static constexpr std::uint64_t no_chunk = ~std::uint64_t{0};  // as both words: no rank wrote the chunk

  std::vector<std::uint64_t> words;
  std::string problem;  // why the file is not a whole shard, as a sentence; "" if it is
};

// Returns an index as Weir writes it: ShardIndexForm(), in native byte order.
std::vector<std::byte> pack_index(std::span<const std::uint64_t> words);
// Reads the index of a file.
// Errors: WEIR_EIO.
ShardIndex read_index(const Descriptor& file, const ShardIndexForm& form, std::int64_t chunks);

// The files of an array.
struct ChunkFiles {
  std::string folder;  // inside the Zarr folder
  ChunkKeys keys;
  Shape part;                           // the part of the array in a file; empty for a scalar
  std::optional<ShardIndexForm> index;  // nullopt: a file is a chunk
};
void fields(auto& archive, Either<ChunkFiles> auto& files) {
  archive(files.folder, files.keys.prefix, files.keys.separator, files.part, files.index);
}

// Writes shards: packed chunks one after another, as they come, then the index with the offset of each. Nothing refers
// to a shard before it is complete.
// Thread: the one that writes tiles; one shard at a time. Errors: returned; WEIR_EIO.
class ShardFiles {
 public:
  // `keeps`: false if nothing is written to storage. `compressing`: stopped while files are made and written.
  ShardFiles(bool keeps, Durability durability, CompressClock& compressing)
      : keeps_(keeps), durability_(durability), compressing_(compressing) {}

  // Begins the file `folder/name`, in place of what is there, and makes its folders. `chunks` 0: the file is one chunk
  // without index.
  Status begin(const std::string& folder, const std::string& name, std::int64_t chunks);
  // The caller packs a chunk into packed(), then calls take() with its number, ascending. Bytes elsewhere must stay
  // there until end().
  PackedBatch& packed() noexcept { return batch_; }
  Status take(std::int64_t chunk);
  Status end();
  // Brings all that was written to stable storage, with the names.
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
  std::vector<std::uint64_t> index_;      // by chunk: offset and length
  PackedBatch batch_;                     // not in the file yet
  std::int64_t written_ = 0, taken_ = 0;  // bytes in the file; those and the batch's that belong to chunks
  std::deque<Descriptor> unsynced_;
  std::set<std::string> folders_;  // with new names
  std::atomic<std::int64_t> bytes_written_ = 0;
};

}  // namespace weir
