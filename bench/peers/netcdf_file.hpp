// SPDX-License-Identifier: Apache-2.0
// A workload's file as the netCDF-C peers define it, without filling but where a map has holes.
#pragma once

#include <string>
#include <vector>

#include "workload.hpp"

namespace weir::bench {

struct NetcdfFile {
  int id = -1;
  std::vector<int> variables;
};

// Defines the workload in the file just created under `id` and ends the definitions. Collective where the file is.
NetcdfFile define_netcdf_file(int id, const Workload& work);

}  // namespace weir::bench
