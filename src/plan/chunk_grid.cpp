// SPDX-License-Identifier: Apache-2.0
#include "plan/chunk_grid.hpp"

#include <algorithm>
#include <utility>

namespace weir {

std::int64_t granules_in(const Granule& granule, std::int64_t elements) noexcept {
  return granule.any() ? granule.before(elements) : elements;
}

std::size_t slab_dimension(const Shape& shape, const Shape& chunk) noexcept {
  std::size_t slab = 0;
  while (slab + 1 < shape.size() && (chunk[slab] == 1 || shape[slab] == 1)) ++slab;
  return slab;
}

ChunkGrid::ChunkGrid(Shape shape, Shape chunk)
    : shape_(shape.empty() ? Shape{1} : std::move(shape)),
      chunk_(chunk.empty() ? Shape{1} : std::move(chunk)),
      strides_(strides(shape_)) {
  for (std::size_t d = 0; d < shape_.size(); ++d) grid_.push_back((shape_[d] + chunk_[d] - 1) / chunk_[d]);
  const std::size_t slab = slab_dimension(shape_, chunk_);
  granule_ = {std::min(chunk_[slab], shape_[slab]) * strides_[slab], shape_[slab] * strides_[slab], false};
  for (std::size_t d = slab + 1; d < grid_.size(); ++d) chunks_per_granule_ *= grid_[d];
}

Shape ChunkGrid::first_index(std::int64_t number) const {
  Shape index(grid_.size());
  for (std::size_t d = grid_.size(); d-- > 0; number /= grid_[d]) index[d] = number % grid_[d] * chunk_[d];
  return index;
}

void ChunkGrid::visit(std::int64_t first, std::int64_t last, const std::function<void(const Chunk&)>& visitor) const {
  const std::int64_t begin = granule_.before(first), end = granule_.before(last);
  Chunk chunk;
  for (chunk.number = begin * chunks_per_granule_; chunk.number < end * chunks_per_granule_; ++chunk.number) {
    chunk.lo = first_index(chunk.number);
    chunk.hi = chunk.lo;
    for (std::size_t d = 0; d < shape_.size(); ++d) chunk.hi[d] = std::min(chunk.lo[d] + chunk_[d], shape_[d]);
    visitor(chunk);
  }
}

namespace {

std::int64_t pieces(std::int64_t length, std::int64_t piece) {
  return (length + piece - 1) / piece;
}

}  // namespace

Shape shard_shape(const Shape& shape, const Shape& chunk, const ShardRule& rule) {
  Shape shard = chunk;
  const std::size_t dims = shape.size();
  if (dims == 0) return shard;
  const std::size_t slab = slab_dimension(shape, chunk);  // beyond it shards are whole
  for (std::size_t d = slab + 1; d < dims; ++d) shard[d] = pieces(shape[d], chunk[d]) * chunk[d];
  const std::int64_t even = pieces(elements(shape) * rule.element_bytes, rule.writers);
  const std::int64_t wanted = std::min(std::max(even, rule.least_bytes), rule.most_bytes);
  for (std::size_t d = slab + 1; d-- > 0;) {
    const std::int64_t slabs = pieces(shape[d], chunk[d]);
    const std::int64_t room = std::max<std::int64_t>(1, wanted / (elements(shard) * rule.element_bytes));
    // As many as there are, in shares as equal as can be.
    const std::int64_t shares = pieces(slabs, std::min(slabs, room));
    shard[d] = pieces(slabs, shares) * chunk[d];
    if (shares > 1) break;
  }
  return shard;
}

namespace {

constexpr std::int64_t least_compressed_bytes = 1024;
constexpr std::int64_t most_kept_bytes = 1024, most_few_bytes = 32;
// A file costs more than a write: a shard is not smaller than so many bundles.
constexpr std::int64_t bundles_of_a_shard = 16;

}  // namespace

bool worth_compressing(std::int64_t chunk_bytes) noexcept {
  return chunk_bytes >= least_compressed_bytes;
}

bool is_a_few_bytes(std::int64_t bytes) noexcept {
  return bytes <= most_few_bytes;
}

bool is_small_record(std::int64_t bytes) noexcept {
  return bytes < most_kept_bytes;
}

bool is_kept(const Keepable& what) noexcept {
  return what.scalar || (what.has_records && !what.packed && is_small_record(what.bytes));
}

SinkKind sink_of_packed(const Config& config) noexcept {
  return keeps_nothing(config.sink) ? config.sink : SinkKind::direct;
}

// At the most half of what a tile may take, so that one does not fill the memory of a cycle.
ShardRule shard_rule(const Config& config, std::int64_t writers) noexcept {
  return {0, writers, bundles_of_a_shard * config.bundle_bytes, config.buffer_limit_bytes / 8};
}

}  // namespace weir
