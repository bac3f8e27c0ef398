// SPDX-License-Identifier: Apache-2.0
// A source of tiles: the only interface of the read path that depends on the format. An implementation returns elements
// in external form (big-endian, of the variable's type), after whatever decoding its storage needs.
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

// What has come from storage so far.
struct ReadCount {
  std::int64_t bytes = 0, opens = 0;
  std::int64_t bytes_ahead = 0;  // that the system was asked to have at hand
};

class TileSource {
 public:
  virtual ~TileSource() = default;
  // Fills the tiles' memory. By any thread, one at a time. Local. Throws Error: WEIR_EIO where the file is another one
  // than was opened, or ends before them.
  virtual void read(std::span<const TileToRead> tiles) = 0;
  // For ranks that read what they want each for itself, where they all have the file in one host's page cache. Local.
  // Opens it, where it is not open, and throws Error(WEIR_EIO) where it is another one than was opened, or cut off.
  virtual void check() {}
  // As read(), of what is in memory: false where any of it has to come from storage, and the tile's memory is anything
  // then. Of the file that was checked last. By any thread, one at a time.
  virtual bool try_read_cached(const TileToRead& tile) noexcept { return static_cast<void>(tile), false; }
  // Whether the file is still as long as when it was opened, so that what was taken at hand is what it held. Local.
  virtual bool is_whole() const noexcept { return true; }
  // The system is asked to have what these tiles are read from at hand when it is read, without waiting for it; their
  // memory is not touched. As read(), but nothing fails.
  virtual void ask_for(std::span<const TileToRead> tiles) noexcept = 0;
  // Of variables that are read record after record, the next record of what was read last is asked for without waiting,
  // and, where variables of one shape are read one after the other, the next ones. As read(), but nothing fails.
  virtual void read_ahead() noexcept = 0;
  // Whether that would do anything.
  virtual bool can_read_ahead() const noexcept = 0;
  // Of a variable's record, in the file: memory that lies alike within blocks (base/numbers.hpp) may be read into past
  // the page cache. 0 where it has no place there, or that says nothing. Alike on all ranks.
  virtual std::int64_t first_byte(int var, std::int64_t record) const noexcept = 0;
  virtual ReadCount count() const noexcept = 0;
};

}  // namespace weir
