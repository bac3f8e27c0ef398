// SPDX-License-Identifier: Apache-2.0
// A source of tiles: the interface of the read path to the formats. An implementation returns elements in external form
// (big-endian, of the variable's type), decoded. Implementations: classic/stored_file.hpp, chunked/chunked_source.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plan/plan.hpp"

namespace weir {

// What one rank reads of a variable's record (or of a fixed variable) at a time.
struct TileToRead {
  int var;
  std::int64_t record;
  std::span<const Stretch> stretches;  // in file order; `at` counts from `memory`
  int element_bytes;
  std::byte* memory;
};

// What was read from storage so far.
struct ReadCount {
  std::int64_t bytes = 0, opens = 0;
  std::int64_t bytes_ahead = 0;  // that the system was asked to read ahead
};

// All methods are Local, without MPI. Thread: any, one at a time.
class TileSource {
 public:
  virtual ~TileSource() = default;
  // Reads the tiles into their memory.
  // Errors: WEIR_EIO if storage fails, the file is not the one that was opened, or it ends before the tiles; the memory
  // is undefined.
  virtual void read(std::span<const TileToRead> tiles) = 0;
  // Opens the file if it is not open; for ranks that each read for themselves.
  // Errors: WEIR_EIO if it is not the file that was opened, or is truncated.
  virtual void check() {}
  // Reads a tile of the file that was checked last, without waiting for storage. Returns false if part of it is not in
  // the page cache; the tile's memory is then undefined.
  virtual bool try_read_cached(const TileToRead& tile) noexcept { return static_cast<void>(tile), false; }
  // Whether the file is still as long as when it was opened, so that cached reads got its contents.
  virtual bool is_whole() const noexcept { return true; }
  // Asks the system to read ahead what these tiles need. Does not wait, and does not touch their memory.
  virtual void ask_for(std::span<const TileToRead> tiles) noexcept = 0;
  // Asks the system to read ahead the next record of what was read last, and of the next variables if variables of one
  // shape are read in turn. Does not wait.
  virtual void read_ahead() noexcept = 0;
  // Whether read_ahead() has an effect.
  virtual bool can_read_ahead() const noexcept = 0;
  // Returns a record's offset in the file: tile memory that is aligned like it within blocks (base/numbers.hpp) can be
  // read past the page cache. 0 if there is no such offset. The same on all ranks.
  virtual std::int64_t first_byte(int var, std::int64_t record) const noexcept = 0;
  virtual ReadCount count() const noexcept = 0;
};

}  // namespace weir
