// SPDX-License-Identifier: Apache-2.0
#include "workload.hpp"

#include <algorithm>
#include <numeric>

#include "check.hpp"

namespace weir::bench {
namespace {

// Strides of an array's axes in elements, by axis, when the axes lie in `order`, slowest first.
Extents strides_in_order(const Extents& extents, const std::vector<int>& order) {
  Extents strides(extents.size(), 1);
  std::int64_t stride = 1;
  for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
    strides[*axis] = stride;
    stride *= extents[*axis];
  }
  return strides;
}

std::vector<int> file_order(std::size_t ndims) {
  std::vector<int> order(ndims);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// Advances `index` within `extents`, the axes turning in `order` (slowest first, the last one excluded); false at the
// end.
bool advance(Extents& index, const Extents& extents, const std::vector<int>& order) {
  for (std::size_t place = order.size() - 1; place-- > 0;) {
    const int axis = order[place];
    if (++index[axis] < extents[axis]) return true;
    index[axis] = 0;
  }
  return false;
}

void visit_run_rows(const Decomposition& part,
                    const std::function<void(std::int64_t, std::int64_t, std::int64_t)>& visit) {
  std::int64_t memory_offset = 0;
  for (const Run& run : part.runs) {
    visit(run.offset, memory_offset, run.length);
    memory_offset += run.length;
  }
}

std::vector<std::string> all_names() {
  std::vector<std::string> names = workloads::names();
  names.emplace_back("map");
  return names;
}

Decomposition of_rank(const workloads::Decomposition& own, int rank) {
  workloads::Part part = own.part(rank);
  Decomposition decomposition;
  decomposition.shape = own.shape;
  decomposition.start = std::move(part.start);
  decomposition.count = std::move(part.count);
  decomposition.order = std::move(part.order);
  return decomposition;
}

}  // namespace

std::int64_t product(const Extents& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

std::int64_t Decomposition::length() const {
  if (!is_map) return product(count);
  return std::accumulate(runs.begin(), runs.end(), std::int64_t{0},
                         [](std::int64_t sum, const Run& run) { return sum + run.length; });
}

bool Decomposition::in_file_order() const {
  return is_map || order == file_order(shape.size());
}

void for_each_row(const Decomposition& part,
                  const std::function<void(std::int64_t, std::int64_t, std::int64_t)>& visit) {
  if (part.is_map) return visit_run_rows(part, visit);
  if (part.length() == 0) return;
  const Extents file_stride = strides_in_order(part.shape, file_order(part.shape.size()));
  const int fastest = part.order.back();
  const bool contiguous = file_stride[fastest] == 1;
  Extents index(part.shape.size(), 0);
  std::int64_t memory_offset = 0;
  do {
    std::int64_t file_offset = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
      file_offset += (part.start[axis] + index[axis]) * file_stride[axis];
    }
    const std::int64_t row = part.count[fastest];
    if (contiguous) {
      visit(file_offset, memory_offset, row);
    } else {
      for (std::int64_t i = 0; i < row; ++i) visit(file_offset + i * file_stride[fastest], memory_offset + i, 1);
    }
    memory_offset += row;
  } while (advance(index, part.count, part.order));
}

Extents Workload::shape(const Variable& variable) const {
  Extents lengths;
  for (std::size_t i = variable.record ? 1 : 0; i < variable.dims.size(); ++i) {
    lengths.push_back(dimensions[variable.dims[i]].length);
  }
  return lengths;
}

std::int64_t Workload::elements(const Variable& variable) const {
  return product(shape(variable));
}

const Decomposition* Workload::part(const Variable& variable) const {
  return variable.decomposition == Variable::rank_zero_alone ? nullptr : &decompositions[variable.decomposition];
}

std::int64_t Workload::file_bytes() const {
  std::int64_t bytes = 0;
  for (const Variable& variable : variables) {
    bytes += elements(variable) * type_bytes(variable.type) * (variable.record ? records : 1);
  }
  return bytes;
}

RankPosition place_in(MPI_Comm comm) {
  RankPosition place{};
  check_mpi(MPI_Comm_rank(comm, &place.rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(comm, &place.ranks), "MPI_Comm_size");
  return place;
}

std::string workload_names() {
  std::string names;
  for (const std::string& name : all_names()) names.append(names.empty() ? "" : ", ").append(name);
  return names;
}

Workload make_workload(const WorkloadRequest& request, MPI_Comm comm) {
  WorkloadRequest settled = request;
  settled.records = std::max<std::int64_t>(1, request.records);
  if (request.name == "map") return make_map(settled, comm);
  const auto& known = workloads::names();
  if (std::find(known.begin(), known.end(), request.name) == known.end()) workloads::refuse(request.name, all_names());
  const auto [rank, ranks] = place_in(comm);
  const workloads::Description own = workloads::describe({request.name, ranks, request.scale, request.records});
  Workload work;
  work.records = own.records;
  work.dimensions = own.dimensions;
  for (const workloads::Decomposition& each : own.decompositions) work.decompositions.push_back(of_rank(each, rank));
  for (const workloads::Variable& each : own.variables)
    work.variables.push_back({each.name, each.type, each.dims, each.record, each.decomposition, {}});
  work.load = own.load;
  work.steps = own.steps;
  work.reads = own.reads;
  return work;
}

}  // namespace weir::bench
