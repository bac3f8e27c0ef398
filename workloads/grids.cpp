// SPDX-License-Identifier: Apache-2.0
// weak, jacobi, licom, cam.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "workloads/parts.hpp"

namespace weir::workloads {

namespace {

// A block of 50 x 60 x 70 (x, y, z) for each rank, in a grid of ranks, x fastest.
Decomposition blocks(const Request& request) {
  const double factor = std::cbrt(request.scale);
  const Extents block{scaled(70, factor), scaled(60, factor), scaled(50, factor)};
  const std::vector<int> grid = balanced_factors(request.ranks, 3);
  Extents shape;
  for (std::size_t axis = 0; axis < 3; ++axis) shape.push_back(block[axis] * grid[axis]);
  return {shape, [block, grid](int rank) {
            const int position[] = {rank / (grid[1] * grid[2]), rank / grid[2] % grid[1], rank % grid[2]};
            Part part{{}, block, {0, 1, 2}};
            for (std::size_t axis = 0; axis < 3; ++axis) part.start.push_back(block[axis] * position[axis]);
            return part;
          }};
}

struct CamGrid {
  std::int64_t nx, ny, nz;
  bool finite_volume;
};

CamGrid cam_grid(const Request& request) {
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
  for (int parts = 2; grid.finite_volume && parts <= 6 && parts * parts <= ranks; ++parts)
    if (ranks % parts == 0) processes = {ranks / parts, parts};
  processes.y = static_cast<int>(std::min<std::int64_t>(processes.y, grid.ny));
  return processes;
}

Part levels_of_rank(const CamGrid& grid, const CamProcesses& processes, int rank) {
  if (rank >= processes.y * processes.z) return {{0, 0, 0}, {0, 0, 0}, {1, 0, 2}};
  const Share y = share(grid.ny, processes.y, rank % processes.y);
  const Share z = share(grid.nz, processes.z, rank / processes.y);
  return {{z.start, y.start, 0}, {z.count, y.count, grid.nx}, {1, 0, 2}};
}

// Two-dimensional fields belong to the first part of z; the other ranks hold nothing of them.
Part surface_of_rank(const CamGrid& grid, const CamProcesses& processes, int rank) {
  if (rank >= processes.y) return {{0, 0}, {0, 0}, {0, 1}};
  const Share y = share(grid.ny, processes.y, rank);
  return {{y.start, 0}, {y.count, grid.nx}, {0, 1}};
}

}  // namespace

// One output alone needs no record dimension, and the peers are at their best without it.
void make_weak(Description& work, const Request& request) {
  const bool record = work.records > 1;
  work.decompositions = {blocks(request)};
  const Extents& shape = work.decompositions[0].shape;
  work.dimensions = {{"z", shape[0]}, {"y", shape[1]}, {"x", shape[2]}};
  if (record) work.dimensions.push_back({"time", 0});
  const std::vector<int> dims = record ? std::vector<int>{3, 0, 1, 2} : std::vector<int>{0, 1, 2};
  add_numbered(work, "field", 20, {"", WEIR_FLOAT, dims, record, 0});
}

void make_jacobi(Description& work, const Request& request) {
  work.decompositions = {blocks(request)};
  const Extents& shape = work.decompositions[0].shape;
  work.dimensions = {{"time", 0}, {"z", shape[0]}, {"y", shape[1]}, {"x", shape[2]}};
  work.variables.push_back({"field", WEIR_FLOAT, {0, 1, 2, 3}, true, 0});
  work.load = Load::jacobi;
  work.steps = 20;
}

void make_licom(Description& work, const Request& request) {
  const double factor = std::sqrt(request.scale);
  const std::vector<int> grid = balanced_factors(request.ranks, 2);
  work.decompositions = {columns({55, scaled(2302, factor), scaled(3600, factor)}, grid[1], grid[0])};
  const Extents& shape = work.decompositions[0].shape;
  work.dimensions = {{"time", 0}, {"lev", shape[0]}, {"lat", shape[1]}, {"lon", shape[2]}};
  add_numbered(work, "level", 10, {"", WEIR_FLOAT, {0, 1, 2, 3}, true, 0});
}

void make_cam(Description& work, const Request& request) {
  const CamGrid grid = cam_grid(request);
  const CamProcesses processes = cam_processes(grid, request.ranks);
  work.dimensions = {{"time", 0}, {"lev", grid.nz}, {"lat", grid.ny}, {"lon", grid.nx}};
  work.decompositions = {
      {{grid.ny, grid.nx}, [grid, processes](int rank) { return surface_of_rank(grid, processes, rank); }},
      {{grid.nz, grid.ny, grid.nx}, [grid, processes](int rank) { return levels_of_rank(grid, processes, rank); }}};
  add_numbered(work, "surface", 61, {"", WEIR_FLOAT, {0, 2, 3}, true, 0});
  add_numbered(work, "level", 34, {"", WEIR_FLOAT, {0, 1, 2, 3}, true, 1});
}

}  // namespace weir::workloads
