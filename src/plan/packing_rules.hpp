// SPDX-License-Identifier: Apache-2.0
// The chunks and compression of a variable in a format that packs chunks, if its program does not choose them: for the
// library's files and for the simulator. Pure, Local.
#pragma once

#include <cstdint>

#include "base/config.hpp"
#include "plan/chunk_grid.hpp"
#include "plan/shards.hpp"

namespace weir {

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
