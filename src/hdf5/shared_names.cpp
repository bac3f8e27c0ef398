// SPDX-License-Identifier: Apache-2.0
#include "hdf5/shared_names.hpp"

#include <hdf5.h>

#include <vector>

#include "base/error.hpp"
#include "base/spelling.hpp"
#include "hdf5/handle.hpp"

namespace weir {

void rename_for_new_dimensions(const std::string& file, const std::string& path, const Schema& before,
                               const Schema& after) {
  std::vector<std::string> shared;
  for (auto at = before.dimensions().size(); at < after.dimensions().size(); ++at)
    for (const Variable& variable : before.variables())
      if (variable.name == after.dimensions()[at].name) shared.push_back(variable.name);
  if (shared.empty()) return;
  const Quiet quiet;
  const Handle opened(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
  for (const std::string& name : shared) {
    if (set_name(opened.id(), name) != name) continue;  // it has its other name already
    const herr_t moved =
        H5Lmove(opened.id(), name.c_str(), opened.id(), name_without_dimension(name).c_str(), H5P_DEFAULT, H5P_DEFAULT);
    require(moved >= 0, WEIR_EFORMAT, [&] {
      return "HDF5 cannot rename the variable " + in_quotes(name) + " of " + in_quotes(path) +
             ", which has the name of a new dimension" + reason();
    });
  }
}

}  // namespace weir
