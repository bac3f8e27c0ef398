// SPDX-License-Identifier: Apache-2.0
// A workload: the variables of one output file, and what this rank holds of each. It is made before any clock runs and
// never changes afterwards. Shapes and offsets count elements, in file order, without the record dimension.
#pragma once

#include <mpi.h>
#include <weir/weir.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "schema/types.hpp"

namespace weir::bench {

using Extents = std::vector<std::int64_t>;

struct Dimension {
  std::string name;
  std::int64_t length;  // 0: the record dimension
};

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
  static constexpr int rank_zero_alone = -1;

  std::string name;
  weir_type type;
  std::vector<int> dims;  // slowest first; the record dimension, where it has it, comes first
  bool record = false;
  int decomposition = rank_zero_alone;  // index into Workload::decompositions
  std::vector<Attribute> attributes;
};

// What the workload itself computes between two outputs.
enum class Load {
  none,
  jacobi,  // sweeps over a block as large as a rank's part of decomposition 0
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

// The names that make_workload knows, with commas between, in the order of the documents.
std::string workload_names();

// Makes the workload for this rank of `comm`. Throws BenchError for an unknown name or unreadable input. Local.
Workload make_workload(const WorkloadRequest& request, MPI_Comm comm);

// The makers behind the registry.
Workload make_weak(const WorkloadRequest& request, MPI_Comm comm);
Workload make_cam(const WorkloadRequest& request, MPI_Comm comm);
Workload make_jacobi(const WorkloadRequest& request, MPI_Comm comm);
Workload make_licom(const WorkloadRequest& request, MPI_Comm comm);
Workload make_cmaq(const WorkloadRequest& request, MPI_Comm comm);
Workload make_map(const WorkloadRequest& request, MPI_Comm comm);

std::int64_t product(const Extents& extents);

}  // namespace weir::bench
