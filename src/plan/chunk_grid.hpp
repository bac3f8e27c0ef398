// SPDX-License-Identifier: Apache-2.0
// Chunks of a variable: boxes of one shape, which netCDF-4 and Zarr store one by one. One rank must pack a whole chunk,
// so tiles are cut where file order crosses no chunk: at granules. Also shards, and rules for chunks that a program
// does not choose. Pure, Local.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/config.hpp"
#include "plan/box.hpp"

namespace weir {

// Where tiles may be cut: in file order, at multiples of `elements` from each multiple of `period` on. Without
// elements: anywhere.
struct Granule {
  std::int64_t elements = 0;
  std::int64_t period = 0;
  bool packed = false;  // its chunks are compressed, which takes longer than writing

  bool any() const noexcept { return elements > 0; }
  std::int64_t per_period() const noexcept { return (period + elements - 1) / elements; }
  // before() returns how many granules begin before `place`; begin() where the granule of this number begins.
  std::int64_t before(std::int64_t place) const noexcept {
    return place / period * per_period() + (place % period + elements - 1) / elements;
  }
  std::int64_t begin(std::int64_t number) const noexcept {
    return number / per_period() * period + number % per_period() * elements;
  }
  auto operator<=>(const Granule&) const = default;
};

// Returns the number of granules in `elements` elements; without a granule, the elements.
std::int64_t granules_in(const Granule& granule, std::int64_t elements) noexcept;

// Returns the first dimension in which a chunk is longer than one, or the last: beyond it file order crosses chunks.
// Requires: `shape` has a dimension.
std::size_t slab_dimension(const Shape& shape, const Shape& chunk) noexcept;

// A chunk: its number in the grid, and the part of the variable in it (less than a chunk at the edges).
struct Chunk {
  std::int64_t number;
  Shape lo, hi;
};

class ChunkGrid {
 public:
  // `chunk`: lengths along each dimension of `shape`; a length beyond the dimension counts as the dimension's.
  ChunkGrid(Shape shape, Shape chunk);

  const Shape& shape() const noexcept { return shape_; }
  const Shape& chunk() const noexcept { return chunk_; }
  // Elements of a whole chunk, also those beyond the edges.
  std::int64_t chunk_elements() const noexcept { return elements(chunk_); }
  std::int64_t chunks() const noexcept { return elements(grid_); }
  // The slab of chunks along slab_dimension().
  const Granule& granule() const noexcept { return granule_; }
  // Returns the index of a chunk's first element.
  Shape first_index(std::int64_t number) const;
  // Visits the chunks of the elements [first, last), each once, ascending.
  // Requires: tiles may be cut at `first` and `last`.
  void visit(std::int64_t first, std::int64_t last, const std::function<void(const Chunk&)>& visitor) const;

 private:
  Shape shape_, chunk_, grid_;
  std::vector<std::int64_t> strides_;
  Granule granule_;
  std::int64_t chunks_per_granule_ = 1;
};

// How many chunks make a shard: a file of its own (Zarr), which one rank writes.
struct ShardRule {
  std::int64_t element_bytes;
  std::int64_t writers;      // for which there are to be shards
  std::int64_t least_bytes;  // of a shard; a smaller one is not worth a file
  std::int64_t most_bytes;   // of a shard that a writer can hold
};

// Returns the lengths of a shard along each dimension of `shape`, without the record dimension: multiples of those of
// `chunk`. A shard is a run of the file order: whole along the fastest dimensions, then so long that there is one for
// each writer. Only a single slab of chunks may have more than most_bytes.
Shape shard_shape(const Shape& shape, const Shape& chunk, const ShardRule& rule);

// Whether a chunk of this size is compressed, if the configuration asks for it: smaller ones do not shrink.
bool worth_compressing(std::int64_t chunk_bytes) noexcept;

// Whether a record is so small that rank 0 writes it, at a commit, where it shares its chunk with others: a time.
bool is_a_few_bytes(std::int64_t bytes) noexcept;

// What is_kept() depends on.
struct Keepable {
  bool scalar, has_records, packed;
  std::int64_t bytes;  // of a record
};
// Whether Zarr keeps a variable on rank 0 until a commit: a scalar, or records of which several lie in one file, since
// they are small and the configuration does not say how they are stored.
bool is_kept(const Keepable& what) noexcept;
// Whether records of this size are, unless the configuration says how they are stored.
bool is_small_record(std::int64_t bytes) noexcept;

// Returns the sink of files of packed chunks: each writer writes what it packs, whatever the strategy, unless the
// configuration asks for a sink that leaves no file.
SinkKind sink_of_packed(const Config& config) noexcept;

// Returns how many packed bytes are written together: for netCDF-4 what fits a processor's cache.
constexpr std::int64_t packed_batch_bytes(FormatKind format) noexcept {
  return format == FormatKind::zarr ? 4 << 20 : 1 << 20;
}

// Returns the rule for shards with so many writers. The caller sets element_bytes.
ShardRule shard_rule(const Config& config, std::int64_t writers) noexcept;

}  // namespace weir
