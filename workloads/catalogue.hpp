// SPDX-License-Identifier: Apache-2.0
// What models write: the catalogue of workloads, for weir-bench, which writes them, and for the simulator, which says
// how long that takes. What a rank holds is asked for rank by rank and kept nowhere. Shapes count elements, in file
// order, without the record dimension. Pure, Local.
//
//   weak  Wang & Huang 2025, section 5.3: a block of 50 x 60 x 70 (x, y, z) float32 a rank, 20 variables.
//   jacobi  the same, section 5.4: the same block, one variable, output by output. What is put are values that can be
//         checked, not the field of the sweeps.
//   licom the same, section 5.2: 3600 x 2302 x 55, decomposed in both horizontal dimensions. Ten float32 variables are
//         1020 GB (of 2^30 bytes) in the 60 outputs of its ten days, as there.
//   cam   Tseng & Ding 2008, tables 1 and 2: 61 two-dimensional and 34 three-dimensional variables of CAM, decomposed
//         as in section 2.2 and held as A(ix, iz, iy) while the file wants A(ix, iy, iz).
//   cmaq  as IOAPI writes it: every variable is (TSTEP, LAY, ROW, COL) of float32, beside TFLAG with the date and time
//         of each variable's step, which one rank knows. Columns and rows are decomposed, layers and species are not.
//         cmaq-ca, cmaq-eus, cmaq-conus: Wong et al. 2015, section 4: three steps of reading, computing and writing, on
//         89 x 134, 279 x 299 and 459 x 299 (columns x rows) with 35 layers and 146 species. cmaq-app: the same, the
//         application: 423 x 594 x 14 x 142, a day of hourly output. cmaq-2km: Kordenbrock & Oldfield 2006, section 4:
//         24 hourly steps. The paper says that the writes are small and names the data set, 2km_ppm_aero3, but no
//         sizes: 66 x 66 x 6 with 68 species are this catalogue's choice, which gives writes of 6.5 KB a rank and
//         variable on 16 ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "schema/types.hpp"

namespace weir::workloads {

using Extents = std::vector<std::int64_t>;

struct Dimension {
  std::string name;
  std::int64_t length;  // 0: the record dimension
};

// What one rank holds of an array: a box, its axes lying in memory by `order`, slowest first. All counts are 0 where
// the rank has nothing.
struct Part {
  Extents start, count;
  std::vector<int> order;
};

struct Decomposition {
  Extents shape;
  std::function<Part(int rank)> part;
};

struct Variable {
  static constexpr int rank_zero_alone = -1;

  std::string name;
  Type type;
  std::vector<int> dims;  // slowest first; the record dimension, where it has it, comes first
  bool record = false;
  int decomposition = rank_zero_alone;
};

// What the workload itself computes between two outputs.
enum class Load {
  none,
  jacobi,  // sweeps over a block as large as a rank's part of decomposition 0
};

struct Description {
  std::int64_t records = 1;
  std::vector<Dimension> dimensions;
  std::vector<Variable> variables;
  std::vector<Decomposition> decompositions;
  Load load = Load::none;
  int steps = 1;       // of the model between two outputs, where the user says nothing
  bool reads = false;  // the model reads what it will write, record by record, from a file that was there before
};

struct Request {
  std::string name = "weak";
  int ranks = 1;
  double scale = 1;          // of the bytes
  std::int64_t records = 0;  // 0: the workload's own number, mostly 1
};

// In the order of the documents.
const std::vector<std::string>& names();
// Throws Error(WEIR_EARGUMENT) for an unknown name, or a scale or number that is impossible.
Description describe(const Request& request);
// The sentence of an unknown name, where these are known.
[[noreturn]] void refuse(const std::string& name, const std::vector<std::string>& known);

// Near-equal factors of `ranks`, descending: a grid of ranks, as MPI_Dims_create gives it.
std::vector<int> balanced_factors(int ranks, int dimensions);

}  // namespace weir::workloads
