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

}  // namespace weir
