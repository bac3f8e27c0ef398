// SPDX-License-Identifier: Apache-2.0
// Where a format keeps its chunks, as far as reading needs it. A chunk has a number in the grid of all its variable's
// chunks, the records' included, the last dimension fastest.
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

// The bytes of a chunk as they were packed. Files are numbered as the store likes.
struct ChunkPlace {
  std::int64_t file, address, bytes;
  std::uint32_t skipped;  // as StoredPiece has it
};

// By any thread, one at a time. Local.
class ChunkStore {
 public:
  virtual ~ChunkStore() = default;
  virtual const StoredArray& array(int var) const = 0;
  // nullopt: no rank wrote it. Throws Error(WEIR_EIO) where it has to look into a file.
  virtual std::optional<ChunkPlace> find(int var, std::int64_t number) = 0;
  // Opens what is to be opened. Throws Error(WEIR_EIO) where what is there is not what was opened, or not whole.
  virtual void check() = 0;
  // Throws Error(WEIR_EIO).
  virtual void read(std::int64_t file, std::int64_t address, std::span<std::byte> to) = 0;
  // For sentences.
  virtual std::string path(std::int64_t file) const = 0;
  // The system may have it at hand when it is read.
  virtual void ask_for(const ChunkPlace& place) noexcept = 0;
  virtual ReadCount count() const noexcept = 0;
};

// A cache of unpacked chunks that are likely to be read again, for instance by the following records. The least
// recently used are dropped first. Local.

class ChunkCache {
 public:
  using Bytes = std::vector<std::byte>;
  // most_bytes: of all; one chunk is kept however large it is.
  explicit ChunkCache(std::int64_t most_bytes) : most_bytes_(most_bytes) {}

  // nullptr where it is not there.
  const Bytes* find(int var, std::int64_t number) {
    const auto found = places_.find({var, number});
    if (found == places_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return &found->second->bytes;
  }
  // It is not there yet.
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
  std::list<Entry> entries_;  // the one used last first
  std::map<Chunk, std::list<Entry>::iterator> places_;
  std::int64_t most_bytes_, bytes_ = 0;
};

}  // namespace weir
