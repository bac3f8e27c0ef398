// SPDX-License-Identifier: Apache-2.0
#include "grid.hpp"

#include <algorithm>
#include <cmath>

#include "check.hpp"

namespace weir::bench {

RankPosition place_in(MPI_Comm comm) {
  RankPosition place{};
  check_mpi(MPI_Comm_rank(comm, &place.rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(comm, &place.ranks), "MPI_Comm_size");
  return place;
}

std::int64_t scaled(std::int64_t extent, double factor) {
  return std::max<std::int64_t>(1, std::llround(static_cast<double>(extent) * factor));
}

Share share(std::int64_t length, int parts, int part) {
  const std::int64_t begin = length * part / parts;
  return {begin, length * (part + 1) / parts - begin};
}

std::string numbered(const std::string& stem, int number, int count) {
  const std::string digits = std::to_string(number);
  const std::size_t width = std::to_string(count - 1).size();
  return stem + std::string(width - digits.size(), '0') + digits;
}

}  // namespace weir::bench
