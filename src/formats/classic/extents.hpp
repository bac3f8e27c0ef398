// SPDX-License-Identifier: Apache-2.0
// The extents that a file gives its sink in one write: bytes of tiles and of fill values, sorted by offset and counted.
// Used by classic/shared_file.cpp and parts/part_file.cpp.
#pragma once

#include <atomic>

#include "formats/output_file.hpp"
#include "schema/schema.hpp"
#include "storage/sink.hpp"

namespace weir {

// Memory is reused from write to write. Local, except write().
class Extents {
 public:
  // Classic netCDF pads each variable, in each record, to a multiple of 4 bytes. From now on this padding is written
  // too, with the variable's fill value, as netCDF-C writes files that are filled. A single record variable has none.
  void pad(const Schema& schema);
  // Adds a tile whose variable's record begins at `begin`.
  void add(const ReadyTile& tile, std::int64_t begin);
  // Adds the bytes after a variable's record; none without pad().
  void add_padding(int var, std::int64_t begin);
  void add(const Extent& extent) { extents_.push_back(extent); }
  // Sets the value for add_fill(), which will need up to `count` elements.
  // Requires: no extents of another value are waiting.
  void set_fill(const ExternalValue& value, int element_bytes, std::int64_t count);
  // Adds `bytes` bytes of the fill value from `begin` on: whole elements.
  void add_fill(std::int64_t begin, std::int64_t bytes);
  // Writes what was added, and is empty again. Collective if the sink is; errors are the sink's.
  Status write(Sink& sink);
  // Thread: any.
  std::int64_t bytes_written() const noexcept { return bytes_written_; }

 private:
  struct Padding {
    std::int64_t elements, element_bytes, bytes;
    ExternalValue values;
  };

  std::vector<Padding> padding_;  // by variable; empty: nothing is padded
  std::vector<Extent> extents_;
  std::vector<std::byte> fill_;
  std::atomic<std::int64_t> bytes_written_ = 0;
};

}  // namespace weir
