// SPDX-License-Identifier: Apache-2.0
#include "workloads/parts.hpp"

#include <algorithm>
#include <cmath>

namespace weir::workloads {

std::int64_t scaled(std::int64_t extent, double factor) {
  return std::max<std::int64_t>(1, std::llround(static_cast<double>(extent) * factor));
}

Share share(std::int64_t length, int parts, int part) {
  const std::int64_t begin = length * part / parts;
  return {begin, length * (part + 1) / parts - begin};
}

Decomposition columns(Extents shape, int processes_y, int processes_x) {
  const auto part = [shape, processes_y, processes_x](int rank) {
    const Share y = share(shape[1], processes_y, rank / processes_x);
    const Share x = share(shape[2], processes_x, rank % processes_x);
    if (y.count == 0 || x.count == 0) return Part{{0, 0, 0}, {0, 0, 0}, {0, 1, 2}};
    return Part{{0, y.start, x.start}, {shape[0], y.count, x.count}, {0, 1, 2}};
  };
  return {std::move(shape), part};
}

void add_numbered(Description& work, const std::string& stem, int count, const Variable& like) {
  const std::size_t width = std::to_string(count - 1).size();
  for (int number = 0; number < count; ++number) {
    const std::string digits = std::to_string(number);
    work.variables.push_back(like);
    work.variables.back().name = stem + std::string(width - digits.size(), '0') + digits;
  }
}

}  // namespace weir::workloads
