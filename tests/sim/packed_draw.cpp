// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "draw.hpp"
#include "formats/chunked/codec.hpp"
#include "formats/netcdf4/module.hpp"

namespace sim {

// Of its own chance, so that all else of a seed is what it is without. A chunk is to fit a tile. What a power cut
// leaves of folders nobody here remembers: of Zarr all ranks are killed instead. Several hosts share a file system that
// keeps their writes apart.
void pack(Trial& trial) {
  if (trial.in_parts) return;
  Chance chance(trial.seed + 2);
  trial.packed = chance.happens(0.5) && weir::has_netcdf4() ? "netcdf4" : "zarr";
  const char* const compressions[] = {"none", "zlib", "zstd"};
  std::string compression = compressions[chance.below(3)];
  if (!weir::Compressor::has(compression == "zstd" ? weir::CompressedFormat::zstd : weir::CompressedFormat::zlib))
    compression = "none";
  trial.configuration += "format: " + trial.packed + "\ncompression: " + compression + "\n";
  const int records[] = {1, 1, 2, 3, 5};
  trial.configuration += "chunk_records: " + std::to_string(records[chance.below(5)]) + "\n";
  trial.by_mpi_io = false;
  // Rank 0 is in HDF5 while it reads tables, piece by piece, and answers nobody.
  trial.storage_seconds = std::min(trial.storage_seconds, 1e-4);
  const std::string small = "buffer_limit: 64KiB";
  if (const auto at = trial.configuration.find(small); at != std::string::npos)
    trial.configuration.replace(at, small.size(), "buffer_limit: 256KiB");
  if (trial.packed == "zarr" && trial.mishap.kind == Mishap::Kind::power) trial.mishap.kind = Mishap::Kind::kill_all;
}

}  // namespace sim
