// SPDX-License-Identifier: Apache-2.0
#include "schema/file_offsets.hpp"

#include <algorithm>

namespace weir {

FileOffsets place_variables(std::int64_t header_bytes, std::span<const VariableSize> variables) {
  FileOffsets places;
  places.begin.resize(variables.size());
  const auto records = std::count_if(variables.begin(), variables.end(), [](const auto& each) { return each.record; });
  std::int64_t at = padded_bytes(header_bytes);
  const auto place = [&](bool record) {
    for (std::size_t v = 0; v < variables.size(); ++v) {
      if (variables[v].record != record) continue;
      places.begin[v] = at;
      at += record && records == 1 ? variables[v].bytes : padded_bytes(variables[v].bytes);
    }
    return at;
  };
  places.fixed_end = place(false);
  places.record_bytes = place(true) - places.fixed_end;
  return places;
}

FileOffsets place_variables(const Schema& schema, int format) {
  std::vector<VariableSize> variables;
  for (int var = 0; var < static_cast<int>(schema.variables().size()); ++var)
    variables.push_back({schema.is_record(var), schema.elements(var) * type_bytes(schema.variable(var).type)});
  return place_variables(header_bytes(schema, format), variables);
}

}  // namespace weir
