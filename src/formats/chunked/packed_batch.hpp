// SPDX-License-Identifier: Apache-2.0
// Packed chunks that are written together, in memory that grows and is never cleared. chunked/packer.hpp fills a batch.
// Local.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "storage/sink.hpp"

namespace weir {

// Memory that grows and is never cleared: a vector would first write zeros into bytes that compression overwrites.
class UninitializedBuffer {
 public:
  // Returns at least `bytes` bytes, whose first `kept` bytes are as before. Earlier spans become invalid.
  std::span<std::byte> at_least(std::int64_t bytes, std::int64_t kept = 0) {
    if (bytes > size_) {
      const std::int64_t size = std::max(bytes, size_ + size_ / 2);
      auto larger = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(size));
      std::copy_n(bytes_.get(), kept, larger.get());
      bytes_ = std::move(larger);
      size_ = size;
    }
    return {bytes_.get(), static_cast<std::size_t>(size_)};
  }
  std::int64_t size() const noexcept { return size_; }
  bool has(const std::byte* at) const noexcept { return at >= bytes_.get() && at < bytes_.get() + size_; }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::int64_t size_ = 0;
};

// Chunks that are written together: packed ones in the batch's memory, those that no filter changes in their tile.
class PackedBatch {
 public:
  // Returns `bytes` unused bytes after those that were added. Earlier spans become invalid.
  std::span<std::byte> room(std::int64_t bytes);
  // Add the next chunk: the first bytes of the room; or bytes elsewhere, which must stay there until they are written.
  void add_from_room(std::int64_t bytes);
  void add_from_elsewhere(std::span<const std::byte> bytes);
  // Copies the chunks that are elsewhere, so that they need not stay there.
  void keep();
  // Whether the last chunk is elsewhere.
  bool ends_elsewhere() const noexcept { return !pieces_.empty() && pieces_.back().elsewhere; }
  // Bytes of all chunks.
  std::int64_t bytes() const noexcept { return bytes_; }
  // Returns the extents of the chunks, or of `count` of them from number `first` on, one after another from offset
  // `place` on; chunks that are contiguous in memory too are one extent.
  std::span<const Extent> extents(std::int64_t place) { return extents(place, 0, pieces_.size()); }
  std::span<const Extent> extents(std::int64_t place, std::size_t first, std::size_t count);
  void clear() noexcept;
  // Bytes of its memory.
  std::int64_t memory_bytes() const noexcept { return memory_.size(); }

 private:
  struct Piece {
    const std::byte* elsewhere;  // nullptr: in memory_, after the pieces before it
    std::int64_t bytes;
  };

  UninitializedBuffer memory_;
  std::int64_t bytes_ = 0, in_memory_ = 0;
  std::vector<Piece> pieces_;
  std::vector<Extent> extents_;
};

}  // namespace weir
