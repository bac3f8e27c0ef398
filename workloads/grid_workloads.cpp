// SPDX-License-Identifier: Apache-2.0
// The workloads on regular grids.
//   weak  Wang & Huang 2025, section 5.3: a block of 50 x 60 x 70 float32 a rank, 20 variables.
//   jacobi  the same, section 5.4: the same block, one variable, output by output. What is put are values that can be
//         checked, not the field of the sweeps.
//   licom the same, section 5.2: 3600 x 2302 x 55, decomposed in both horizontal dimensions. Ten float32 variables are
//         1020 GB (of 2^30 bytes) in the 60 outputs of its ten days, as there.
//   cam   Tseng & Ding 2008, tables 1 and 2: 61 two-dimensional and 34 three-dimensional variables of CAM, decomposed
//   as
//         in section 2.2 and held as A(ix, iz, iy) while the file wants A(ix, iy, iz).
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "check.hpp"
#include "grid.hpp"
#include "workload.hpp"

namespace weir::bench {
namespace {

struct CamGrid {
  std::int64_t nx, ny, nz;
  bool finite_volume;
};

CamGrid cam_grid(const WorkloadRequest& request) {
  static const std::map<std::string, CamGrid> grids = {{"cam-t85", {256, 128, 26, false}},
                                                       {"cam-fvb", {144, 91, 26, true}},
                                                       {"cam-fvc", {288, 181, 26, true}},
                                                       {"cam-fvd", {576, 361, 26, true}}};
  CamGrid grid = grids.at(request.name);
  grid.nx = scaled(grid.nx, std::sqrt(request.scale));
  grid.ny = scaled(grid.ny, std::sqrt(request.scale));
  return grid;
}

struct CamProcesses {
  int y, z;
};

// EUL: latitudes only. FV: (y, z), with as many parts of z as divide the ranks, at most sqrt(ranks) and at most 6, so
// that four levels stay together. Ranks beyond y * z hold nothing.
CamProcesses cam_processes(const CamGrid& grid, int ranks) {
  CamProcesses processes{ranks, 1};
  if (grid.finite_volume) {
    for (int parts = 2; parts <= 6 && parts * parts <= ranks; ++parts) {
      if (ranks % parts == 0) processes = {ranks / parts, parts};
    }
  }
  processes.y = static_cast<int>(std::min<std::int64_t>(processes.y, grid.ny));
  return processes;
}

Decomposition levels_of_rank(const CamGrid& grid, CamProcesses processes, int rank) {
  Decomposition part;
  part.shape = {grid.nz, grid.ny, grid.nx};
  part.order = {1, 0, 2};
  part.start = part.count = {0, 0, 0};
  if (rank >= processes.y * processes.z) return part;
  const Share y = share(grid.ny, processes.y, rank % processes.y);
  const Share z = share(grid.nz, processes.z, rank / processes.y);
  part.start = {z.start, y.start, 0};
  part.count = {z.count, y.count, grid.nx};
  return part;
}

// Two-dimensional fields belong to the first part of z; the other ranks hold nothing of them.
Decomposition surface_of_rank(const CamGrid& grid, CamProcesses processes, int rank) {
  Decomposition part;
  part.shape = {grid.ny, grid.nx};
  part.order = {0, 1};
  part.start = part.count = {0, 0};
  if (rank >= processes.y) return part;
  const Share y = share(grid.ny, processes.y, rank);
  part.start = {y.start, 0};
  part.count = {y.count, grid.nx};
  return part;
}

// A block of 50 x 60 x 70 (x, y, z) for each rank, in a grid of ranks, x fastest.
Decomposition block_of_rank(double scale, MPI_Comm comm) {
  const RankPosition place = place_in(comm);
  const double factor = std::cbrt(scale);
  const Extents block = {scaled(70, factor), scaled(60, factor), scaled(50, factor)};
  std::array<int, 3> processes{};
  check_mpi(MPI_Dims_create(place.ranks, 3, processes.data()), "MPI_Dims_create");

  Decomposition part;
  part.order = {0, 1, 2};
  part.count = block;
  const std::array<int, 3> position = {place.rank / (processes[1] * processes[2]),
                                       place.rank / processes[2] % processes[1], place.rank % processes[2]};
  for (int axis = 0; axis < 3; ++axis) {
    part.shape.push_back(block[axis] * processes[axis]);
    part.start.push_back(block[axis] * position[axis]);
  }
  return part;
}

// All horizontal extents are scaled; a column stays whole.
Decomposition columns_of_rank(double scale, MPI_Comm comm) {
  const RankPosition place = place_in(comm);
  const double factor = std::sqrt(scale);
  std::array<int, 2> processes{};
  check_mpi(MPI_Dims_create(place.ranks, 2, processes.data()), "MPI_Dims_create");
  Decomposition part;
  part.shape = {55, scaled(2302, factor), scaled(3600, factor)};
  part.order = {0, 1, 2};
  const Share y = share(part.shape[1], processes[1], place.rank / processes[0]);
  const Share x = share(part.shape[2], processes[0], place.rank % processes[0]);
  part.start = {0, y.start, x.start};
  part.count = {55, y.count, x.count};
  return part;
}

}  // namespace

Workload make_weak(const WorkloadRequest& request, MPI_Comm comm) {
  constexpr int variables = 20;
  Decomposition part = block_of_rank(request.scale, comm);
  Workload work;
  work.records = request.records;
  // One output alone needs no record dimension, and the peers are at their best without it.
  const bool record = request.records > 1;
  work.dimensions = {{"z", part.shape[0]}, {"y", part.shape[1]}, {"x", part.shape[2]}};
  if (record) work.dimensions.push_back({"time", 0});
  work.decompositions.push_back(std::move(part));
  const std::vector<int> dims = record ? std::vector<int>{3, 0, 1, 2} : std::vector<int>{0, 1, 2};
  for (int i = 0; i < variables; ++i)
    work.variables.push_back({numbered("field", i, variables), WEIR_FLOAT, dims, record, 0, {}});
  return work;
}

Workload make_jacobi(const WorkloadRequest& request, MPI_Comm comm) {
  Decomposition part = block_of_rank(request.scale, comm);
  Workload work;
  work.records = request.records;
  work.dimensions = {{"time", 0}, {"z", part.shape[0]}, {"y", part.shape[1]}, {"x", part.shape[2]}};
  work.decompositions.push_back(std::move(part));
  work.variables.push_back({"field", WEIR_FLOAT, {0, 1, 2, 3}, true, 0, {}});
  work.load = Load::jacobi;
  work.steps = 20;
  return work;
}

Workload make_licom(const WorkloadRequest& request, MPI_Comm comm) {
  constexpr int variables = 10;
  Decomposition part = columns_of_rank(request.scale, comm);
  Workload work;
  work.records = request.records;
  work.dimensions = {{"time", 0}, {"lev", part.shape[0]}, {"lat", part.shape[1]}, {"lon", part.shape[2]}};
  work.decompositions.push_back(std::move(part));
  for (int i = 0; i < variables; ++i) {
    work.variables.push_back({numbered("level", i, variables), WEIR_FLOAT, {0, 1, 2, 3}, true, 0, {}});
  }
  return work;
}

Workload make_cam(const WorkloadRequest& request, MPI_Comm comm) {
  constexpr int surface_variables = 61;
  constexpr int level_variables = 34;
  const RankPosition place = place_in(comm);
  const CamGrid grid = cam_grid(request);
  const CamProcesses processes = cam_processes(grid, place.ranks);

  Workload work;
  work.records = request.records;
  work.dimensions = {{"time", 0}, {"lev", grid.nz}, {"lat", grid.ny}, {"lon", grid.nx}};
  work.decompositions = {surface_of_rank(grid, processes, place.rank), levels_of_rank(grid, processes, place.rank)};
  for (int i = 0; i < surface_variables; ++i) {
    work.variables.push_back({numbered("surface", i, surface_variables), WEIR_FLOAT, {0, 2, 3}, true, 0, {}});
  }
  for (int i = 0; i < level_variables; ++i) {
    work.variables.push_back({numbered("level", i, level_variables), WEIR_FLOAT, {0, 1, 2, 3}, true, 1, {}});
  }
  return work;
}

}  // namespace weir::bench
