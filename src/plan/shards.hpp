// SPDX-License-Identifier: Apache-2.0
// Chooses how many chunks make a shard, which is a file of its own (Zarr) and is written by one rank. Pure, Local.
#pragma once

#include <cstdint>

#include "plan/box.hpp"

namespace weir {

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

}  // namespace weir
