// SPDX-License-Identifier: Apache-2.0
#include "plan/packing_rules.hpp"

namespace weir {

namespace {

constexpr std::int64_t least_compressed_bytes = 1024;
constexpr std::int64_t most_kept_bytes = 1024;
// A file costs more than a write: a shard is not smaller than so many bundles.
constexpr std::int64_t bundles_of_a_shard = 16;

}  // namespace

bool worth_compressing(std::int64_t chunk_bytes) noexcept {
  return chunk_bytes >= least_compressed_bytes;
}

bool is_kept(const Keepable& what) noexcept {
  return what.scalar || (what.has_records && !what.packed && what.bytes < most_kept_bytes);
}

SinkKind sink_of_packed(const Config& config) noexcept {
  return keeps_nothing(config.sink) ? config.sink : SinkKind::direct;
}

// At the most half of what a tile may take, so that one does not fill the memory of a cycle.
ShardRule shard_rule(const Config& config, std::int64_t writers) noexcept {
  return {0, writers, bundles_of_a_shard * config.bundle_bytes, config.buffer_limit_bytes / 8};
}

}  // namespace weir
