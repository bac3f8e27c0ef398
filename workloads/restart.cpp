// SPDX-License-Identifier: Apache-2.0
#include "workloads/restart.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "workloads/parts.hpp"

namespace weir::workloads {

namespace {

constexpr std::int64_t level_count = 40, row_count = 240, column_count = 360;
constexpr int field_count = 6;

Share with_halo(const Share& own, std::int64_t length) {
  const std::int64_t first = std::max<std::int64_t>(own.start - 1, 0);
  return {first, std::min(own.start + own.count + 1, length) - first};
}

// Of (y, x), below all levels where there are any.
Decomposition wide_columns(const Extents& shape, const std::vector<int>& grid) {
  return {shape, [shape, grid](int rank) {
            const std::size_t y = shape.size() - 2, x = y + 1;
            const Share wide_y = with_halo(share(shape[y], grid[0], rank / grid[1]), shape[y]);
            const Share wide_x = with_halo(share(shape[x], grid[1], rank % grid[1]), shape[x]);
            Part part;
            if (y > 0) {
              part.start.push_back(0);
              part.count.push_back(shape[0]);
            }
            part.start.insert(part.start.end(), {wide_y.start, wide_x.start});
            part.count.insert(part.count.end(), {wide_y.count, wide_x.count});
            for (std::size_t axis = 0; axis < shape.size(); ++axis) part.order.push_back(static_cast<int>(axis));
            return part;
          }};
}

Decomposition whole(std::int64_t length) {
  return {{length}, [length](int) { return Part{{0}, {length}, {0}}; }};
}

}  // namespace

Description describe_restart(const Request& request) {
  require(request.ranks > 0, WEIR_EARGUMENT, "a model has at least one rank: give --ranks");
  require(request.scale > 0 && request.scale < 1e6, WEIR_EARGUMENT, "a scale is above 0: 1 is the workload as it is");
  const double factor = std::sqrt(request.scale);
  const std::int64_t ny = scaled(row_count, factor), nx = scaled(column_count, factor);
  const std::vector<int> grid = balanced_factors(request.ranks, 2);
  require(grid[0] <= ny && grid[1] <= nx, WEIR_EARGUMENT,
          "{} ranks are more than the restart's {} x {} columns can be dealt to: give a larger --scale", request.ranks,
          ny, nx);
  Description work;
  work.dimensions = {{"z", level_count}, {"y", ny}, {"x", nx}};
  work.decompositions = {wide_columns({level_count, ny, nx}, grid), wide_columns({ny, nx}, grid), whole(ny), whole(nx)};
  add_numbered(work, "field", field_count, {"", WEIR_DOUBLE, {0, 1, 2}, false, 0});
  work.variables.push_back({"mask", WEIR_INT, {1, 2}, false, 1});
  work.variables.push_back({"y", WEIR_DOUBLE, {1}, false, 2});
  work.variables.push_back({"x", WEIR_DOUBLE, {2}, false, 3});
  work.reads = true;
  return work;
}

}  // namespace weir::workloads
