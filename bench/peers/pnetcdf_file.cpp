// SPDX-License-Identifier: Apache-2.0
#include "peers/pnetcdf_file.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "check.hpp"
#include "peers/peer.hpp"
#include "values.hpp"

namespace weir::bench {
namespace {

bool has_holes(const Workload& work, const Variable& variable) {
  const Decomposition* part = work.part(variable);
  return part && !part->held.empty();
}

void put_pnetcdf_attributes(int file, int variable, const std::vector<Attribute>& attributes) {
  for (const Attribute& attribute : attributes) {
    check_pnetcdf(
        ncmpi_put_att(file, variable, attribute.name.c_str(), attribute.type, attribute.count, attribute.values.data()),
        formatted("ncmpi_put_att {}", attribute.name));
  }
}

int define_variable(int file, const std::vector<int>& dimensions, const Workload& work, const Variable& variable) {
  std::vector<int> dims;
  for (const int dim : variable.dims) dims.push_back(dimensions[dim]);
  int id = 0;
  check_pnetcdf(
      ncmpi_def_var(file, variable.name.c_str(), variable.type, static_cast<int>(dims.size()), dims.data(), &id),
      formatted("ncmpi_def_var {}", variable.name));
  put_pnetcdf_attributes(file, id, variable.attributes);
  if (has_holes(work, variable)) {
    check_pnetcdf(ncmpi_def_var_fill(file, id, 0, nullptr), formatted("ncmpi_def_var_fill {}", variable.name));
  }
  return id;
}

}  // namespace

PieceList::PieceList(const Workload& work, const Variable& variable, bool rank_zero)
    : record_(variable.record), ndims_(variable.dims.size()) {
  const Decomposition* part = work.part(variable);
  const Extents shape = work.shape(variable);
  if (!part) {
    is_box_ = true;
    add(Extents(shape.size(), 0), shape);
    if (!rank_zero && !variable.dims.empty()) empty();
  } else if (part->is_map) {
    for (const Run& run : part->runs) add_run(shape, run);
  } else {
    is_box_ = true;
    add(part->start, part->count);
    if (elements_ == 0) empty();
  }
  point();
}

void PieceList::add(const Extents& start, const Extents& count) {
  if (record_) {
    start_values_.push_back(0);
    count_values_.push_back(1);
  }
  start_values_.insert(start_values_.end(), start.begin(), start.end());
  count_values_.insert(count_values_.end(), count.begin(), count.end());
  starts_.push_back(nullptr);
  counts_.push_back(nullptr);
  elements_ += product(count);
}

void PieceList::empty() {
  std::fill(count_values_.begin(), count_values_.end(), 0);
  elements_ = 0;
}

// Cuts the run where rows of the fastest dimension end.
void PieceList::add_run(const Extents& shape, Run run) {
  while (run.length > 0) {
    Extents start(shape.size(), 0);
    Extents count(shape.size(), 1);
    std::int64_t rest = run.offset;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      start[axis] = rest % shape[axis];
      rest /= shape[axis];
    }
    count.back() = std::min(run.length, shape.back() - start.back());
    add(start, count);
    run.offset += count.back();
    run.length -= count.back();
  }
}

void PieceList::point() {
  for (std::size_t i = 0; i < starts_.size(); ++i) {
    starts_[i] = start_values_.data() + i * ndims_;
    counts_[i] = count_values_.data() + i * ndims_;
  }
}

void PieceList::set_record(std::int64_t record) {
  if (!record_) return;
  for (MPI_Offset* start : starts_) start[0] = record;
}

PnetcdfFile create_pnetcdf_file(MPI_Comm comm, const std::string& path, const Workload& work, MPI_Info info) {
  PnetcdfFile file;
  check_pnetcdf(ncmpi_create(comm, path.c_str(), NC_CLOBBER | NC_64BIT_DATA, info, &file.id),
                formatted("ncmpi_create {}", path));
  std::vector<int> dimensions;
  for (const Dimension& dimension : work.dimensions) {
    dimensions.push_back(0);
    const MPI_Offset length = dimension.length == 0 ? NC_UNLIMITED : dimension.length;
    check_pnetcdf(ncmpi_def_dim(file.id, dimension.name.c_str(), length, &dimensions.back()),
                  formatted("ncmpi_def_dim {}", dimension.name));
  }
  for (const Variable& variable : work.variables) {
    file.variables.push_back(define_variable(file.id, dimensions, work, variable));
  }
  put_pnetcdf_attributes(file.id, NC_GLOBAL, work.attributes);
  check_pnetcdf(ncmpi_enddef(file.id), formatted("ncmpi_enddef {}", path));
  return file;
}

void fill_record(const PnetcdfFile& file, const Workload& work, std::int64_t record) {
  for (std::size_t i = 0; i < work.variables.size(); ++i) {
    const Variable& variable = work.variables[i];
    if (!variable.record || !has_holes(work, variable)) continue;
    check_pnetcdf(ncmpi_fill_var_rec(file.id, file.variables[i], record),
                  formatted("ncmpi_fill_var_rec {}", variable.name));
  }
}

}  // namespace weir::bench
