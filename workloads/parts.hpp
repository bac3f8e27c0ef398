// SPDX-License-Identifier: Apache-2.0
// What the workloads of the catalogue share: scaling an extent, cutting one into parts. Pure, Local.
#pragma once

#include <string>

#include "workloads/catalogue.hpp"

namespace weir::workloads {

// At least 1.
std::int64_t scaled(std::int64_t extent, double factor);

struct Share {
  std::int64_t start;
  std::int64_t count;
};

// Part `part` of `length` cut into `parts` that differ by one element at the most.
Share share(std::int64_t length, int parts, int part);

// An array (z, y, x) whose horizontal extents are cut by a grid of processes in y and x; columns stay whole.
Decomposition columns(Extents shape, int processes_y, int processes_x);

// Variables "field07" of the stem "field", as `like` has the rest: with as many digits as the last of `count` has.
void add_numbered(Description& work, const std::string& stem, int count, const Variable& like);

// The makers behind the catalogue; the request's records are settled.
void make_weak(Description& work, const Request& request);
void make_jacobi(Description& work, const Request& request);
void make_licom(Description& work, const Request& request);
void make_cam(Description& work, const Request& request);
void make_cmaq(Description& work, const Request& request);

}  // namespace weir::workloads
