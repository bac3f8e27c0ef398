// SPDX-License-Identifier: Apache-2.0
// The sum of a variable: one number of 64 bits that depends on the bits of each value, as the file has them after
// conversion, rounding and packing, and on the value's place in the variable. Nothing else counts: not the file's
// format, its chunks or compression, nor who wrote or reads what in which order. docs/reliability.md gives the formula.
// file/done_file.cpp shares the reading out among ranks; weir-verify reads alone. Local, no MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commit/done_marker.hpp"
#include "formats/chunked/chunked_source.hpp"
#include "formats/tile_source.hpp"
#include "schema/schema.hpp"

namespace weir {

// Returns the sum of elements that are neighbours in a variable. `first`: the number of the first of them in the
// variable, records slowest; `elements`: in external form. Sums of parts add up, modulo 2^64, to the sum of the whole.
// Pure.
std::uint64_t sum_of(std::uint64_t first, std::span<const std::byte> elements, int element_bytes) noexcept;

// A file that can be read.
struct ReadableFile {
  Schema schema;
  std::int64_t records = 0;
  int format = 1;                            // as Geometry::format
  std::vector<std::string> left_out;         // variables that Weir does not support
  std::shared_ptr<TileSource> source;        // of its values
  std::shared_ptr<ChunkedSource> in_chunks;  // the same, if the file is netCDF-4 or Zarr; else nullptr
};

// The sums over one share of a file, of `shares`. The shares of all numbers together have each element once.
// Thread: any, one at a time.
class FieldSums {
 public:
  FieldSums(std::shared_ptr<const ReadableFile> file, int share, int shares);

  // Reads on, some megabytes. Returns whether there is more to read.
  // Errors: throws as TileSource::read().
  bool advance();
  // The sums so far, of each variable; 0 for one that this Weir cannot read (can_read()).
  const std::vector<std::uint64_t>& sums() const noexcept { return sums_; }

 private:
  void enter(int var);
  std::int64_t blocks(int var) const;
  std::int64_t add(int var, std::int64_t block);
  std::int64_t add_elements(int var, std::int64_t first, std::int64_t count);
  std::int64_t add_chunk(int var, std::int64_t number);
  std::int64_t add_missing(int var);
  std::int64_t add_box(int var, const Shape& lo, const Shape& hi, const std::byte* chunk, std::int64_t fill_bytes);
  Shape lengths(int var) const;

  std::shared_ptr<const ReadableFile> file_;
  int share_, shares_;
  std::vector<std::uint64_t> sums_;
  int var_ = -1;
  std::int64_t next_ = 0, end_ = 0;  // blocks of the variable in this share
  std::vector<std::byte> memory_;
};

// Whether this Weir can read a variable's values.
bool can_read(const ReadableFile& file, int var);

// Returns the marker of a file with these sums over all shares. Reads the first and the last time.
// Errors: as TileSource::read().
DoneMarker marker_of(const ReadableFile& file, const std::string& path, std::span<const std::uint64_t> sums);

}  // namespace weir
