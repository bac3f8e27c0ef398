// SPDX-License-Identifier: Apache-2.0
#include "write/zarr/new_arrays.hpp"

#include "base/error.hpp"
#include "base/spelling.hpp"
#include "plan/packing_rules.hpp"
#include "write/packing/packer.hpp"
#include "write/zarr/groups.hpp"

namespace weir {

std::vector<ZarrArray> new_arrays(const OutputOptions& options, const Schema& schema, int first) {
  static_cast<void>(groups_of(schema));  // throws what would be two things in one folder
  std::vector<ZarrArray> arrays(static_cast<std::size_t>(first));
  for (int var = first; var < static_cast<int>(schema.variables().size()); ++var) {
    const bool compressed = schema.variable(var).storage.squeezed();
    const std::int64_t writers = std::ssize(compressed ? options.compressing_writers : options.writers);
    arrays.push_back(zarr_array(schema, var, shard_rule(options.config, writers)));
    const std::string missing = missing_filter(arrays.back().codecs);
    require(missing.empty(), WEIR_EARGUMENT, in_quotes(options.path) + " cannot be written: " + missing);
  }
  return arrays;
}

}  // namespace weir
