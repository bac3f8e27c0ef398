// SPDX-License-Identifier: Apache-2.0
// The extents that a file hands to its sink in one write: the bytes of tiles and of fill values, sorted by offset and
// counted. Its memory is reused from write to write. Local but for write(), which is as the sink's.
#pragma once

#include <atomic>

#include "formats/output_file.hpp"
#include "schema/schema.hpp"
#include "storage/sink.hpp"

namespace weir {

class Extents {
 public:
  // From now on what follows a variable's record up to a multiple of four bytes is written with it, and holds its fill
  // value, as netCDF-C has it of files that are filled. One variable that has records alone has no such bytes.
  void pad(const Schema& schema);
  // A tile whose variable's record begins at `begin`.
  void add(const ReadyTile& tile, std::int64_t begin);
  // What follows the elements of a variable's record; nothing without pad().
  void add_padding(int var, std::int64_t begin);
  void add(const Extent& extent) { extents_.push_back(extent); }
  // The value that add_fill() means, of which up to `count` elements of so many bytes are wanted. Not while extents of
  // another one are waiting.
  void set_fill(const ExternalValue& value, int element_bytes, std::int64_t count);
  // `bytes` bytes of it from `begin` on: whole elements.
  void add_fill(std::int64_t begin, std::int64_t bytes);
  // Writes what was added; it is empty again.
  Status write(Sink& sink);
  // Any thread.
  std::int64_t bytes_written() const noexcept { return bytes_written_; }

 private:
  struct Padding {
    std::int64_t elements, element_bytes, bytes;
    ExternalValue values;
  };

  std::vector<Padding> padding_;  // a variable each; empty: nothing is padded
  std::vector<Extent> extents_;
  std::vector<std::byte> fill_;
  std::atomic<std::int64_t> bytes_written_ = 0;
};

}  // namespace weir
