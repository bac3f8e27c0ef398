// SPDX-License-Identifier: Apache-2.0
// Where a format keeps its chunks, for reading (ChunkStore), and a cache of unpacked chunks (ChunkCache). Stores:
// netcdf4/netcdf4_store.hpp, zarr/store.hpp; chunked/chunked_source.hpp reads through them. A chunk's number counts all
// chunks of its variable, with those of the records, the last dimension fastest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formats/stored_array.hpp"
#include "formats/tile_source.hpp"

namespace weir {

// The bytes of a packed chunk. The store numbers its files.
struct ChunkPlace {
  std::int64_t file, address, bytes;
  std::uint32_t skipped;  // as in StoredPiece
};

// Local, no MPI. Thread: any, one at a time.
class ChunkStore {
 public:
  virtual ~ChunkStore() = default;
  virtual const StoredArray& array(int var) const = 0;
  // Finds a chunk; nullopt if no rank wrote it.
  // Errors: WEIR_EIO if it has to look into a file.
  virtual std::optional<ChunkPlace> find(int var, std::int64_t number) = 0;
  // Opens what is needed.
  // Errors: WEIR_EIO if the file is not the one that was opened, or is truncated.
  virtual void check() = 0;
  // Reads bytes of a file.
  // Errors: WEIR_EIO.
  virtual void read(std::int64_t file, std::int64_t address, std::span<std::byte> to) = 0;
  // Returns the path of a file, for messages.
  virtual std::string path(std::int64_t file) const = 0;
  // Asks the system to read a chunk ahead. Does not wait.
  virtual void ask_for(const ChunkPlace& place) noexcept = 0;
  virtual ReadCount count() const noexcept = 0;
};

// Unpacked chunks that are likely to be read again, for instance for the following records. The least recently used are
// dropped first.
// Local.
class ChunkCache {
 public:
  using Bytes = std::vector<std::byte>;
  // `most_bytes`: of all chunks; one chunk is kept however large it is.
  explicit ChunkCache(std::int64_t most_bytes) : most_bytes_(most_bytes) {}

  // Returns a chunk; nullptr if it is not there.
  const Bytes* find(int var, std::int64_t number) {
    const auto found = places_.find({var, number});
    if (found == places_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return &found->second->bytes;
  }
  // Adds a chunk.
  // Requires: it is not there.
  const Bytes& keep(int var, std::int64_t number, Bytes bytes) {
    bytes_ += std::ssize(bytes);
    entries_.push_front({{var, number}, std::move(bytes)});
    places_[{var, number}] = entries_.begin();
    while (bytes_ > most_bytes_ && entries_.size() > 1) {
      bytes_ -= std::ssize(entries_.back().bytes);
      places_.erase(entries_.back().chunk);
      entries_.pop_back();
    }
    return entries_.front().bytes;
  }

 private:
  using Chunk = std::pair<int, std::int64_t>;
  struct Entry {
    Chunk chunk;
    Bytes bytes;
  };
  std::list<Entry> entries_;  // the most recently used first
  std::map<Chunk, std::list<Entry>::iterator> places_;
  std::int64_t most_bytes_, bytes_ = 0;
};

}  // namespace weir
