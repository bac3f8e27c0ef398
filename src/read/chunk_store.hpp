// SPDX-License-Identifier: Apache-2.0
// Where a format keeps its chunks, as far as reading needs it. A chunk has a number in the grid of all its variable's
// chunks, the records' included, the last dimension fastest.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "read/tile_source.hpp"
#include "write/stored_array.hpp"

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

}  // namespace weir
