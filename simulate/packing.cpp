// SPDX-License-Identifier: Apache-2.0
#include "simulate/packing.hpp"

#include "base/text.hpp"
#include "plan/chunk_grid.hpp"
#include "schema/storage.hpp"

namespace weir::simulate {

namespace {

// Where the profile knows nothing of a format, it costs what a classic file does.
FormatCost cost_of(const Profile& profile, bool zarr) {
  const PackingSpeed& packing = profile.packing;
  if (zarr ? packing.zarr_known : packing.netcdf4_known) return zarr ? packing.zarr : packing.netcdf4;
  FormatCost cost;
  cost.create = profile.storage.create;
  cost.commit = profile.storage.commit;
  return cost;
}

double known(double asked, const Curve& of_profile, int level, const std::string& what) {
  if (asked > 0) return asked;
  require(!of_profile.empty(), WEIR_ECONFIG,
          "the profile does not say {}: measure the machine with weir profile, or give the mode ratio=2 and "
          "pack_rate=200MB/s",
          what);
  return of_profile(std::max(level, 1));
}

}  // namespace

Packing::Packing(const Profile& profile, const Config& config, const PackingAsked& asked)
    : config_(config), cost_(cost_of(profile, config.format == FormatKind::zarr)) {
  if (profile.packing.plain.value > 0) plain_ = 1 / profile.packing.plain.value;
  if (config.compression == CompressionKind::none) return;
  const bool zlib = config.compression == CompressionKind::zlib;
  const Squeezing& squeezing = zlib ? profile.packing.zlib : profile.packing.zstd;
  const std::string by = zlib ? "zlib" : "zstd";
  compressing_ = 1 / known(asked.rate, squeezing.rate, config.compression_level,
                           formatted("how fast this machine compresses by {}", by));
  ratio_ =
      known(asked.ratio, squeezing.ratio, config.compression_level, formatted("how much smaller values get by {}", by));
}

PackedVariable Packing::variable(const Shape& shape, int element_bytes, bool record, const Roles& roles) const {
  PackedVariable found;
  const Shape chunk = default_chunk(shape, element_bytes);
  found.chunk_bytes = elements(chunk) * element_bytes;
  found.compressed = config_.compression != CompressionKind::none && worth_compressing(found.chunk_bytes);
  found.kept = zarr() && is_kept({shape.empty() && !record, record, found.compressed, elements(shape) * element_bytes});
  if (found.kept) return found;
  Shape cut = chunk;
  if (zarr()) {
    ShardRule rule = shard_rule(config_, std::ssize(roles.writers_of(Granule{1, 1, found.compressed})));
    rule.element_bytes = element_bytes;
    cut = shard_shape(shape, chunk, rule);
  }
  found.granule = ChunkGrid(shape, cut).granule();
  found.granule.packed = found.compressed;
  return found;
}

}  // namespace weir::simulate
