// SPDX-License-Identifier: Apache-2.0
// A workload: the variables of one output file, and what this rank holds of each, as the catalogue says
// (workloads/catalogue.hpp), or a map file. It is made before any clock runs and never changes afterwards. Shapes and
// offsets count elements, in file order, without the record dimension.
#pragma once

#include <mpi.h>
#include <weir/weir.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "schema/types.hpp"
#include "workloads/catalogue.hpp"

namespace weir::bench {

using workloads::Dimension;
using workloads::Extents;
using workloads::Load;

struct Attribute {
  std::string name;
  weir_type type;
  std::int64_t count;
  std::vector<std::byte> values;  // in memory representation
};

// Consecutive elements of an array in file order.
struct Run {
  std::int64_t offset;
  std::int64_t length;
};

// What one rank holds of an array of `shape`: a box, lying in memory by `order`, or runs lying one after another.
struct Decomposition {
  Extents shape;
  bool is_map = false;
  Extents start, count;    // the box; all counts 0 where the rank has nothing
  std::vector<int> order;  // the array's axes as they lie in memory, slowest first
  std::vector<Run> runs;   // the map, in the order of memory
  std::vector<bool> held;  // by element: does any rank hold it? Empty: all are held

  [[nodiscard]] std::int64_t length() const;  // elements on this rank
  [[nodiscard]] bool in_file_order() const;   // the box lies in memory as in the file
};

// Calls visit(file_offset, memory_offset, length) for every longest piece that is contiguous in both, in memory order.
void for_each_row(const Decomposition& part,
                  const std::function<void(std::int64_t, std::int64_t, std::int64_t)>& visit);

struct Variable {
  static constexpr int rank_zero_alone = workloads::Variable::rank_zero_alone;

  std::string name;
  weir_type type;
  std::vector<int> dims;  // slowest first; the record dimension, where it has it, comes first
  bool record = false;
  int decomposition = rank_zero_alone;  // index into Workload::decompositions
  std::vector<Attribute> attributes;
};

struct Workload {
  std::string name;
  std::int64_t records = 1;
  std::vector<Dimension> dimensions;
  std::vector<Variable> variables;
  std::vector<Attribute> attributes;
  std::vector<Decomposition> decompositions;
  Load load = Load::none;
  int steps = 1;        // of the model between two outputs, where the user says nothing
  bool reads = false;   // the model reads what it will write, record by record, from a file that was there before
  bool smooth = false;  // values like a model's (values.hpp)

  [[nodiscard]] Extents shape(const Variable& variable) const;  // without the record dimension
  [[nodiscard]] std::int64_t elements(const Variable& variable) const;
  [[nodiscard]] const Decomposition* part(const Variable& variable) const;  // nullptr: rank 0 alone puts it
  [[nodiscard]] std::int64_t file_bytes() const;  // of all variables and records, the header not counted
};

struct WorkloadRequest {
  std::string name = "weak";
  double scale = 1.0;        // of the bytes
  std::int64_t records = 0;  // 0: the workload's own number, mostly 1
  std::string map_path;      // of `map`
  std::string header_path;   // of `map`
  bool smooth = false;       // values like a model's
};

// The names that make_workload knows, with commas between.
std::string workload_names();

struct RankPosition {
  int rank;
  int ranks;
};

RankPosition place_in(MPI_Comm comm);

// Makes the workload for this rank of `comm`. Throws Error or BenchError for an unknown name or unreadable input.
// Local.
Workload make_workload(const WorkloadRequest& request, MPI_Comm comm);
// `map`, which reads files (map_workload.cpp).
Workload make_map(const WorkloadRequest& request, MPI_Comm comm);

std::int64_t product(const Extents& extents);

}  // namespace weir::bench
