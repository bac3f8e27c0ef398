// SPDX-License-Identifier: Apache-2.0
#include "simulate/workload.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/error.hpp"
#include "base/spelling.hpp"

namespace weir::simulate {

namespace {

std::int64_t scaled(std::int64_t extent, double factor) {
  return std::max<std::int64_t>(1, std::llround(static_cast<double>(extent) * factor));
}

struct Share {
  std::int64_t start;
  std::int64_t count;
};

// Part `part` of `length` cut into `parts` that differ by one element at the most.
Share share(std::int64_t length, int parts, int part) {
  const std::int64_t begin = length * part / parts;
  return {begin, length * (part + 1) / parts - begin};
}

Layout box_or_nothing(const Shape& shape, const Shape& start, const Shape& count, const std::vector<int>& order) {
  if (std::find(count.begin(), count.end(), 0) != count.end()) return Layout::boxes(shape, {}, {}, order);
  return Layout::boxes(shape, start, count, order);
}

void add_variables(Workload& work, const std::string& stem, int count, const Variable& like) {
  for (int i = 0; i < count; ++i) {
    work.variables.push_back(like);
    work.variables.back().name = stem + (i < 10 ? "0" : "") + std::to_string(i);
  }
}

// A block of 50 x 60 x 70 (x, y, z) for each rank (Wang & Huang 2025, section 5.3), in a grid of ranks, x fastest.
void add_blocks(Workload& work, double scale) {
  const double factor = std::cbrt(scale);
  const Shape block{scaled(70, factor), scaled(60, factor), scaled(50, factor)};
  const std::vector<int> grid = balanced_factors(work.ranks, 3);
  Shape shape;
  for (std::size_t axis = 0; axis < 3; ++axis) shape.push_back(block[axis] * grid[axis]);
  const auto layout = [block, grid, shape](int rank) {
    const int position[] = {rank / (grid[1] * grid[2]), rank / grid[2] % grid[1], rank % grid[2]};
    Shape start;
    for (std::size_t axis = 0; axis < 3; ++axis) start.push_back(block[axis] * position[axis]);
    return Layout::boxes(shape, start, block, {});
  };
  work.decompositions.push_back({shape, layout, true});
}

void make_weak(Workload& work, const WorkloadRequest& request) {
  add_blocks(work, request.scale);
  add_variables(work, "field", 20, {"", 4, work.records > 1, 0});
}

void make_jacobi(Workload& work, const WorkloadRequest& request) {
  if (request.records == 0) work.records = 10;
  add_blocks(work, request.scale);
  add_variables(work, "field", 1, {"", 4, true, 0});
}

// Horizontal extents are scaled, and cut by a grid of processes in x and y; columns stay whole.
void add_horizontal(Workload& work, Shape shape, std::array<int, 2> processes) {
  const auto layout = [shape, processes](int rank) {
    const Share y = share(shape[1], processes[1], rank / processes[0]);
    const Share x = share(shape[2], processes[0], rank % processes[0]);
    return box_or_nothing(shape, {0, y.start, x.start}, {shape[0], y.count, x.count}, {});
  };
  work.decompositions.push_back({shape, layout, true});
}

// Wang & Huang 2025, section 5.2.
void make_licom(Workload& work, const WorkloadRequest& request) {
  const double factor = std::sqrt(request.scale);
  const std::vector<int> grid = balanced_factors(work.ranks, 2);
  add_horizontal(work, {55, scaled(2302, factor), scaled(3600, factor)}, {grid[0], grid[1]});
  add_variables(work, "level", 10, {"", 4, true, 0});
}

struct CmaqDomain {
  std::int64_t columns, rows, layers;
  int species;
};

const std::map<std::string, CmaqDomain>& cmaq_domains() {
  // Wong et al. 2015, sections 4.2 and 5.4.
  static const std::map<std::string, CmaqDomain> domains = {{"cmaq-ca", {89, 134, 35, 146}},
                                                            {"cmaq-eus", {279, 299, 35, 146}},
                                                            {"cmaq-conus", {459, 299, 35, 146}},
                                                            {"cmaq-app", {423, 594, 14, 142}}};
  return domains;
}

// Processes are columns by rows, as in 8 x 16: the smaller factor lies along the columns (x).
void make_cmaq(Workload& work, const WorkloadRequest& request) {
  const CmaqDomain& domain = cmaq_domains().at(request.name);
  const double factor = std::sqrt(request.scale);
  const std::vector<int> grid = balanced_factors(work.ranks, 2);
  add_horizontal(work, {domain.layers, scaled(domain.rows, factor), scaled(domain.columns, factor)},
                 {grid[1], grid[0]});
  add_variables(work, "species", domain.species, {"", 4, true, 0});
}

struct CamGrid {
  std::int64_t nx, ny, nz;
  bool finite_volume;
};

const std::map<std::string, CamGrid>& cam_grids() {
  static const std::map<std::string, CamGrid> grids = {{"cam-t85", {256, 128, 26, false}},
                                                       {"cam-fvb", {144, 91, 26, true}},
                                                       {"cam-fvc", {288, 181, 26, true}},
                                                       {"cam-fvd", {576, 361, 26, true}}};
  return grids;
}

// EUL: latitudes only. FV: (y, z), with as many parts of z as divide the ranks, at most sqrt(ranks) and at most 6, so
// that four levels stay together. Ranks beyond hold nothing.
std::array<int, 2> cam_processes(const CamGrid& grid, int ranks) {
  std::array<int, 2> processes{ranks, 1};
  for (int parts = 2; grid.finite_volume && parts <= 6 && parts * parts <= ranks; ++parts)
    if (ranks % parts == 0) processes = {ranks / parts, parts};
  processes[0] = static_cast<int>(std::min<std::int64_t>(processes[0], grid.ny));
  return processes;
}

// Tseng & Ding 2008, tables 1 and 2, section 2.2: held as A(ix, iz, iy), in the file A(ix, iy, iz). Two-dimensional
// fields belong to the first part of z.
void make_cam(Workload& work, const WorkloadRequest& request) {
  CamGrid grid = cam_grids().at(request.name);
  grid.nx = scaled(grid.nx, std::sqrt(request.scale));
  grid.ny = scaled(grid.ny, std::sqrt(request.scale));
  const std::array<int, 2> processes = cam_processes(grid, work.ranks);
  const auto surface = [grid, processes](int rank) {
    const Shape shape{grid.ny, grid.nx};
    if (rank >= processes[0]) return Layout::boxes(shape, {}, {}, {});
    const Share y = share(grid.ny, processes[0], rank);
    return box_or_nothing(shape, {y.start, 0}, {y.count, grid.nx}, {0, 1});
  };
  const auto levels = [grid, processes](int rank) {
    const Shape shape{grid.nz, grid.ny, grid.nx};
    if (rank >= processes[0] * processes[1]) return Layout::boxes(shape, {}, {}, {});
    const Share y = share(grid.ny, processes[0], rank % processes[0]);
    const Share z = share(grid.nz, processes[1], rank / processes[0]);
    return box_or_nothing(shape, {z.start, y.start, 0}, {z.count, y.count, grid.nx}, {1, 0, 2});
  };
  work.decompositions.push_back({{grid.ny, grid.nx}, surface, true});
  work.decompositions.push_back({{grid.nz, grid.ny, grid.nx}, levels, true});
  add_variables(work, "surface", 61, {"", 4, true, 0});
  add_variables(work, "level", 34, {"", 4, true, 1});
}

using Maker = void (*)(Workload&, const WorkloadRequest&);

std::vector<std::pair<std::string, Maker>> makers() {
  std::vector<std::pair<std::string, Maker>> all{{"weak", make_weak}};
  for (const auto& entry : cam_grids()) all.emplace_back(entry.first, make_cam);
  for (const auto& entry : cmaq_domains()) all.emplace_back(entry.first, make_cmaq);
  all.emplace_back("jacobi", make_jacobi);
  all.emplace_back("licom", make_licom);
  return all;
}

std::vector<int> prime_factors(int number) {
  std::vector<int> factors;
  for (int divisor = 2; divisor * divisor <= number; ++divisor)
    for (; number % divisor == 0; number /= divisor) factors.push_back(divisor);
  if (number > 1) factors.push_back(number);
  return factors;
}

}  // namespace

// The largest prime first, each to the smallest factor so far: as OpenMPI deals them.
std::vector<int> balanced_factors(int ranks, int dimensions) {
  std::vector<int> factors(static_cast<std::size_t>(dimensions), 1);
  const std::vector<int> primes = prime_factors(ranks);
  for (auto prime = primes.rbegin(); prime != primes.rend(); ++prime)
    *std::min_element(factors.begin(), factors.end()) *= *prime;
  std::sort(factors.rbegin(), factors.rend());
  return factors;
}

std::int64_t Workload::elements(const Variable& variable) const {
  return weir::elements(decompositions[static_cast<std::size_t>(variable.decomposition)].shape);
}

std::int64_t Workload::bytes() const {
  std::int64_t sum = 0;
  for (const Variable& variable : variables)
    sum += elements(variable) * variable.element_bytes * (variable.record ? records : 1);
  return sum;
}

std::string workload_names() {
  std::vector<std::string> names;
  for (const auto& [name, maker] : makers()) names.push_back(name);
  return join_words(std::vector<std::string_view>(names.begin(), names.end()));
}

Workload make_workload(const WorkloadRequest& request) {
  require(request.ranks > 0, WEIR_EARGUMENT, "a model has at least one rank: give --ranks");
  require(request.scale > 0 && request.scale < 1e6, WEIR_EARGUMENT, "a scale is above 0: 1 is the workload as it is");
  require(request.records >= 0, WEIR_EARGUMENT, "records are 1 or more");
  for (const auto& [name, maker] : makers()) {
    if (name != request.name) continue;
    Workload work;
    work.name = name;
    work.ranks = request.ranks;
    work.records = std::max<std::int64_t>(1, request.records);
    work.compute = request.compute;
    const std::vector<int> grid = balanced_factors(request.ranks, 3);
    std::copy(grid.begin(), grid.end(), work.grid.begin());
    maker(work, request);
    return work;
  }
  throw Error(WEIR_EARGUMENT,
              "the workload " + in_quotes(request.name) + " is not known; take one of " + workload_names());
}

}  // namespace weir::simulate
