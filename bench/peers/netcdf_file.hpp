// SPDX-License-Identifier: Apache-2.0
// A workload's file as the netCDF-C peers define it, without filling but where a map has holes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "peers/peer.hpp"
#include "workload.hpp"

namespace weir::bench {

struct NetcdfFile {
  int id = -1;
  std::vector<int> variables;
};

// How netCDF-4's chunks are cut and packed.
struct NetcdfPacking {
  std::string compression = "none";  // none, zlib, zstd; shuffled before
  int level = 1;
  std::string chunks = "netcdf";  // netcdf: as netCDF-C cuts them; weir: as Weir does; part: as long as rank 0's part

  std::vector<Extents> parts;  // of rank 0, by decomposition

  // Takes the settings compression, compression_level and chunks. Throws BenchError for a value that is none.
  // Collective over `comm`.
  static NetcdfPacking take(PeerSettings& settings, const Workload& work, MPI_Comm comm);
};

// Lets netCDF-C of this process pack and read by zstd, where Weir was built with it: it seldom has the plugin.
void let_netcdf_use_zstd();

// Defines the workload in the file just created under `id` and ends the definitions. Collective where the file is.
// `packing`: of netCDF-4.
NetcdfFile define_netcdf_file(int id, const Workload& work, const std::optional<NetcdfPacking>& packing = {});

}  // namespace weir::bench
