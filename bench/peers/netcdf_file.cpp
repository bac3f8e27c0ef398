// SPDX-License-Identifier: Apache-2.0
#include "peers/netcdf_file.hpp"

#include <netcdf.h>

#include "check.hpp"

namespace weir::bench {
namespace {

void put_attributes(int file, int variable, const std::vector<Attribute>& attributes) {
  for (const Attribute& attribute : attributes) {
    check_netcdf(
        nc_put_att(file, variable, attribute.name.c_str(), attribute.type, attribute.count, attribute.values.data()),
        "nc_put_att " + attribute.name);
  }
}

}  // namespace

NetcdfFile define_netcdf_file(int id, const Workload& work) {
  NetcdfFile file{id, {}};
  int before = 0;
  check_netcdf(nc_set_fill(id, NC_NOFILL, &before), "nc_set_fill");
  std::vector<int> dimensions;
  for (const Dimension& dimension : work.dimensions) {
    dimensions.push_back(0);
    const std::size_t length = dimension.length == 0 ? NC_UNLIMITED : dimension.length;
    check_netcdf(nc_def_dim(id, dimension.name.c_str(), length, &dimensions.back()), "nc_def_dim " + dimension.name);
  }
  for (const Variable& variable : work.variables) {
    std::vector<int> dims;
    for (const int dim : variable.dims) dims.push_back(dimensions[dim]);
    file.variables.push_back(0);
    check_netcdf(nc_def_var(id, variable.name.c_str(), variable.type, static_cast<int>(dims.size()), dims.data(),
                            &file.variables.back()),
                 "nc_def_var " + variable.name);
    put_attributes(id, file.variables.back(), variable.attributes);
  }
  put_attributes(id, NC_GLOBAL, work.attributes);
  check_netcdf(nc_enddef(id), "nc_enddef");
  return file;
}

}  // namespace weir::bench
