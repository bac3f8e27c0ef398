// SPDX-License-Identifier: Apache-2.0
// Chunks that are written together: packed ones in memory of the batch's own, those that no filter changes from their
// tile. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "write/packing/uninitialized_buffer.hpp"
#include "write/sink.hpp"

namespace weir {

class PackedBatch {
 public:
  // So many bytes behind what was added, which no rank has yet. Spans given before hold no longer.
  std::span<std::byte> room(std::int64_t bytes);
  // The next chunk: the first bytes of the room; or bytes elsewhere, which stay there until they are written.
  void add_from_room(std::int64_t bytes);
  void add_from_elsewhere(std::span<const std::byte> bytes);
  // Of all chunks.
  std::int64_t bytes() const noexcept { return bytes_; }
  // They lie one after the other from `place` on; what lies so in memory too is one extent.
  std::span<const Extent> extents(std::int64_t place);
  void clear() noexcept;
  // That it keeps.
  std::int64_t memory_bytes() const noexcept { return memory_.size(); }

 private:
  struct Piece {
    const std::byte* elsewhere;  // nullptr: in memory_, behind those before it
    std::int64_t bytes;
  };

  UninitializedBuffer memory_;
  std::int64_t bytes_ = 0, in_memory_ = 0;
  std::vector<Piece> pieces_;
  std::vector<Extent> extents_;
};

}  // namespace weir
