// SPDX-License-Identifier: Apache-2.0
#include "write/zarr/new_arrays.hpp"

#include "base/error.hpp"
#include "base/spelling.hpp"
#include "schema/name.hpp"
#include "write/packing/packer.hpp"

namespace weir {

namespace {

// A file costs more than a write: a shard is not smaller than so many bundles.
constexpr std::int64_t bundles_of_a_shard = 16;

void require_no_groups(const Schema& schema) {
  const auto check = [](const char* what, const auto& named) {
    require(group_prefix(named.name).empty(), WEIR_EARGUMENT,
            "the " + std::string(what) + " " + in_quotes(named.name) +
                " is in a group, which Weir makes in netCDF-4 and not in Zarr; give it a name without '/'");
  };
  for (const Dimension& dimension : schema.dimensions()) check("dimension", dimension);
  for (const Variable& variable : schema.variables()) check("variable", variable);
  for (const Attribute& attribute : schema.attributes(WEIR_GLOBAL)) check("attribute", attribute);
}

}  // namespace

std::vector<ZarrArray> new_arrays(const OutputOptions& options, const Schema& schema, int first) {
  require_no_groups(schema);
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
