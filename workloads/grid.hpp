// SPDX-License-Identifier: Apache-2.0
// What workloads on regular grids share: scaling an extent, and cutting one into parts.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

namespace weir::bench {

struct RankPosition {
  int rank;
  int ranks;
};

RankPosition place_in(MPI_Comm comm);

// At least 1.
std::int64_t scaled(std::int64_t extent, double factor);

struct Share {
  std::int64_t start;
  std::int64_t count;
};

// Part `part` of `length` cut into `parts` that differ by one element at the most.
Share share(std::int64_t length, int parts, int part);

// "field07" of "field" and 7: with as many digits as the last of `count` names has.
std::string numbered(const std::string& stem, int number, int count);

}  // namespace weir::bench
