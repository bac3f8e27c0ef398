// SPDX-License-Identifier: Apache-2.0
#include "hdf5/lengths.hpp"

#include <hdf5.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/spelling.hpp"
#include "hdf5/handle.hpp"

namespace weir {

namespace {

void check(std::int64_t result, const std::string& path) {
  require(result >= 0, WEIR_EFORMAT,
          [&] { return "HDF5 refuses to make a variable of " + in_quotes(path) + " longer" + reason(); });
}

void fit(hid_t file, const std::string& path, const Schema& schema, const Variable& variable) {
  const Handle set(H5Dopen2(file, set_name(file, variable.name).c_str(), H5P_DEFAULT), H5Dclose);
  check(set.id(), path);
  const Handle space(H5Dget_space(set.id()), H5Sclose);
  hsize_t lengths[H5S_MAX_RANK];
  check(H5Sget_simple_extent_dims(space.id(), lengths, nullptr), path);
  bool longer = false;
  for (std::size_t d = 0; d < variable.dims.size(); ++d) {
    const Dimension& dimension = schema.dimensions()[static_cast<std::size_t>(variable.dims[d])];
    if (!dimension.grows) continue;
    const auto wanted = static_cast<hsize_t>(dimension.length);
    longer = longer || lengths[d] < wanted;
    lengths[d] = std::max(lengths[d], wanted);
  }
  if (longer) check(H5Dset_extent(set.id(), lengths), path);
}

}  // namespace

void fit_growing_dimensions(const std::string& file, const std::string& path, const Schema& schema) {
  const auto grows = [&](int dim) { return schema.dimensions()[static_cast<std::size_t>(dim)].grows; };
  const auto& dimensions = schema.dimensions();
  if (std::none_of(dimensions.begin(), dimensions.end(), [](const Dimension& d) { return d.grows; })) return;
  const Quiet quiet;
  const Handle opened(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
  check(opened.id(), path);
  for (const Variable& variable : schema.variables())
    if (std::any_of(variable.dims.begin(), variable.dims.end(), grows)) fit(opened.id(), path, schema, variable);
}

}  // namespace weir
