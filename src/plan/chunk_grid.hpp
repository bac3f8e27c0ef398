// SPDX-License-Identifier: Apache-2.0
// The chunks of a variable: boxes of one shape, which a format stores one by one (netCDF-4). A chunk can be packed by
// one rank only, so tiles are cut where file order crosses no chunk: at granules. Pure, Local.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/config.hpp"
#include "plan/box.hpp"

namespace weir {

// Where tiles may be cut: at multiples of `elements` from each multiple of `period` on, in file order. None: anywhere.
struct Granule {
  std::int64_t elements = 0;
  std::int64_t period = 0;
  bool packed = false;  // its chunks are compressed, which takes longer than writing

  bool any() const noexcept { return elements > 0; }
  std::int64_t per_period() const noexcept { return (period + elements - 1) / elements; }
  // How many begin before `place`, and where the one of that number does.
  std::int64_t before(std::int64_t place) const noexcept {
    return place / period * per_period() + (place % period + elements - 1) / elements;
  }
  std::int64_t begin(std::int64_t number) const noexcept {
    return number / per_period() * period + number % per_period() * elements;
  }
  auto operator<=>(const Granule&) const = default;
};

// Granules in so many elements; with no granule, the elements.
std::int64_t granules_in(const Granule& granule, std::int64_t elements) noexcept;

// The first dimension in which a chunk is longer than one, or the last: beyond it file order crosses chunks. `shape`
// has a dimension.
std::size_t slab_dimension(const Shape& shape, const Shape& chunk) noexcept;

// One chunk: its number in the order of the grid, and what of the variable lies in it (less than a chunk at the edges).
struct Chunk {
  std::int64_t number;
  Shape lo, hi;
};

class ChunkGrid {
 public:
  // `chunk`: lengths of a chunk along each dimension of `shape`; none longer than the dimension counts for more.
  ChunkGrid(Shape shape, Shape chunk);

  const Shape& shape() const noexcept { return shape_; }
  const Shape& chunk() const noexcept { return chunk_; }
  // A whole chunk, what lies beyond the edges included.
  std::int64_t chunk_elements() const noexcept { return elements(chunk_); }
  std::int64_t chunks() const noexcept { return elements(grid_); }
  // The slab of chunks along the first dimension in which a chunk is longer than one.
  const Granule& granule() const noexcept { return granule_; }
  // Index of a chunk's first element.
  Shape first_index(std::int64_t number) const;
  // The chunks of the elements [first, last), two places where the granule lets tiles be cut; each once, ascending.
  void visit(std::int64_t first, std::int64_t last, const std::function<void(const Chunk&)>& visitor) const;

 private:
  Shape shape_, chunk_, grid_;
  std::vector<std::int64_t> strides_;
  Granule granule_;
  std::int64_t chunks_per_granule_ = 1;
};

// Chooses how many chunks make a shard, which is a file of its own (Zarr) and is written by one rank. Pure, Local.

struct ShardRule {
  std::int64_t element_bytes;
  std::int64_t writers;      // that there are to be shards for
  std::int64_t least_bytes;  // of a shard: a smaller one is not worth a file
  std::int64_t most_bytes;   // what a writer can hold of it
};

// Lengths of a shard along each dimension of `shape`, multiples of those of `chunk`, without the record dimension. A
// shard is a run of the file order: whole along the fastest dimensions, then so long that there is one for each writer.
// Only a single slab of chunks may take more than most_bytes.
Shape shard_shape(const Shape& shape, const Shape& chunk, const ShardRule& rule);

// The chunks and compression of a variable in a format that packs chunks, if its program does not choose them: for the
// library's files and for the simulator. Pure, Local.

// Whether a chunk of so many bytes is compressed where the configuration asks for it: smaller ones do not shrink.
bool worth_compressing(std::int64_t chunk_bytes) noexcept;

// Whether Zarr keeps a variable on rank 0 until a commit: a scalar, and records of which several are to lie in one
// file, since they are small and the configuration does not say how they are stored.
struct Keepable {
  bool scalar, has_records, packed;
  std::int64_t bytes;  // of a record
};
bool is_kept(const Keepable& what) noexcept;

// By which sink such files are written: each writer writes what it packs, whatever the strategy, unless a sink that
// keeps nothing was asked for.
SinkKind sink_of_packed(const Config& config) noexcept;

// Packed chunks of so many bytes are written together: in netCDF-4 what is still in a processor's cache.
constexpr std::int64_t packed_batch_bytes(FormatKind format) noexcept {
  return format == FormatKind::zarr ? 4 << 20 : 1 << 20;
}

// How shards are cut for so many writers; its element_bytes are the caller's to say.
ShardRule shard_rule(const Config& config, std::int64_t writers) noexcept;

}  // namespace weir
