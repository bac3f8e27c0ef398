// SPDX-License-Identifier: Apache-2.0
#include "simulate/workload.hpp"

#include <algorithm>
#include <utility>

#include "workloads/restart.hpp"

namespace weir::simulate {

namespace {

using workloads::Part;

Layout layout_of(const Shape& shape, const Part& part) {
  if (std::find(part.count.begin(), part.count.end(), 0) != part.count.end())
    return Layout::boxes(shape, {}, {}, part.order);
  return Layout::boxes(shape, part.start, part.count, part.order);
}

Decomposition decomposition_of(workloads::Decomposition own, bool exact) {
  const Shape shape = own.shape;
  return {shape, [shape, part = std::move(own.part)](int rank) { return layout_of(shape, part(rank)); }, exact};
}

// Of an array that rank 0 alone puts.
Decomposition of_rank_zero(const Shape& shape) {
  return {shape,
          [shape](int rank) {
            return rank == 0 ? Layout::boxes(shape, Shape(shape.size(), 0), shape, {})
                             : Layout::boxes(shape, {}, {}, {});
          },
          true};
}

Shape shape_of(const workloads::Description& description, const workloads::Variable& variable) {
  Shape shape;
  for (std::size_t i = variable.record ? 1 : 0; i < variable.dims.size(); ++i)
    shape.push_back(description.dimensions[static_cast<std::size_t>(variable.dims[i])].length);
  return shape;
}

}  // namespace

std::int64_t Workload::elements(const Variable& variable) const {
  return weir::elements(decompositions[static_cast<std::size_t>(variable.decomposition)].shape);
}

std::int64_t Workload::bytes() const {
  std::int64_t sum = 0;
  for (const Variable& variable : variables)
    sum += elements(variable) * variable.element_bytes * (variable.record ? records : 1);
  return sum;
}

Workload make_workload(const WorkloadRequest& request) {
  const bool restart = request.name == workloads::restart_name;
  workloads::Description description = restart ? workloads::describe_restart(request) : workloads::describe(request);
  Workload work;
  work.is_read = restart;
  work.name = request.name;
  work.ranks = request.ranks;
  work.records = description.records;
  work.compute = request.compute;
  const std::vector<int> grid = workloads::balanced_factors(request.ranks, 3);
  std::copy(grid.begin(), grid.end(), work.grid.begin());
  for (workloads::Decomposition& own : description.decompositions)
    work.decompositions.push_back(decomposition_of(std::move(own), !restart));
  for (const workloads::Variable& own : description.variables) {
    int decomposition = own.decomposition;
    if (decomposition == workloads::Variable::rank_zero_alone) {
      decomposition = static_cast<int>(work.decompositions.size());
      work.decompositions.push_back(of_rank_zero(shape_of(description, own)));
    }
    work.variables.push_back({own.name, type_bytes(own.type), own.record, decomposition});
  }
  return work;
}

}  // namespace weir::simulate
