// SPDX-License-Identifier: Apache-2.0
#include "pio/packed_definition.hpp"

#include <pnetcdf.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "core/definition_walk.hpp"
#include "pio/original_calls.hpp"

namespace weir::bridge {

namespace {

struct PioDefinitions {
  using Length = MPI_Offset;
  WEIR_DEFINITION_CALLS(WEIR_PIO, PIOc)
  static std::string refusal(const char* what, int code) {
    return formatted("PIO does not report {}: its code is {}", what, code);
  }
};

void set_storage(int var, const StorageOptions& storage_options, Schema& schema) {
  require(!storage_options.foreign, WEIR_EFORMAT,
          "variable \"{}\" has a filter or byte order that Weir does not write; remove it, or let PIO write the file "
          "with files: {{NAME: off}}",
          schema.variable(var).name);
  if (storage_options.storage.any() && !schema.variable(var).dims.empty())
    schema.set_storage(var, storage_options.storage);
}

}  // namespace

Schema packed_schema_of(int number, const std::map<int, StorageOptions>& storage_options, bool classic_model) {
  Schema schema;
  int all_unlimited = 0;
  DefinitionWalk<PioDefinitions> walk(number, schema);
  const int code = WEIR_PIO(PIOc_inq_unlimdims)(number, &all_unlimited, nullptr);
  if (code != NC_NOERR) throw Error(WEIR_EFORMAT, PioDefinitions::refusal("what is unlimited", code));
  require(all_unlimited < 2, WEIR_EFORMAT, "it has more than one unlimited dimension, and Weir writes one");
  walk.add_dimensions();
  walk.add_attributes([](auto...) { return true; });
  const bool any_quantized = std::any_of(storage_options.begin(), storage_options.end(),
                                         [](const auto& wish) { return wish.second.storage.quantization.has_value(); });
  if (classic_model && !any_quantized) mark_classic_model(schema);
  for (int var = 0; var < walk.variables(); ++var) {
    const auto wished = storage_options.find(var);
    const bool quantized = wished != storage_options.end() && wished->second.storage.quantization;
    walk.add_attributes(var, walk.add_variable(var),
                        [&](std::string_view name, auto...) { return !quantized || !is_quantizes(name); });
    if (wished != storage_options.end()) set_storage(var, wished->second, schema);
  }
  return schema;
}

}  // namespace weir::bridge
