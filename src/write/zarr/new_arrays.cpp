// SPDX-License-Identifier: Apache-2.0
#include "write/zarr/new_arrays.hpp"

#include "base/error.hpp"
#include "base/spelling.hpp"
#include "write/packing/packer.hpp"
#include "write/zarr/groups.hpp"

namespace weir {

namespace {

// A file costs more than a write: a shard is not smaller than so many bundles.
constexpr std::int64_t bundles_of_a_shard = 16;

}  // namespace

std::vector<ZarrArray> new_arrays(const OutputOptions& options, const Schema& schema, int first) {
  static_cast<void>(groups_of(schema));  // throws what would be two things in one folder
  // Half of what a tile may take, so that one does not fill the memory of a cycle.
  ShardRule rule{0, 0, bundles_of_a_shard * options.config.bundle_bytes, options.config.buffer_limit_bytes / 8};
  std::vector<ZarrArray> arrays(static_cast<std::size_t>(first));
  for (int var = first; var < static_cast<int>(schema.variables().size()); ++var) {
    const bool compressed = schema.variable(var).storage.squeezed();
    rule.writers = std::ssize(compressed ? options.compressing_writers : options.writers);
    arrays.push_back(zarr_array(schema, var, rule));
    const std::string missing = missing_filter(arrays.back().codecs);
    require(missing.empty(), WEIR_EARGUMENT, in_quotes(options.path) + " cannot be written: " + missing);
  }
  return arrays;
}

}  // namespace weir
