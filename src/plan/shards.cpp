// SPDX-License-Identifier: Apache-2.0
#include "plan/shards.hpp"

#include <algorithm>

#include "plan/chunk_grid.hpp"

namespace weir {

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

}  // namespace weir
