// SPDX-License-Identifier: Apache-2.0
#include "schema/file_offsets.hpp"

#include <algorithm>

namespace weir {

namespace {

constexpr std::int64_t least_align_bytes = 4;

}  // namespace

std::int64_t saturated_sum(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

std::int64_t aligned_place(std::int64_t place, std::int64_t multiple) noexcept {
  const std::int64_t unit = std::max(padded_bytes(multiple), least_align_bytes);
  return place % unit == 0 ? place : saturated_sum(place, unit - place % unit);
}

std::int64_t variable_bytes(const Schema& schema, int var) {
  return schema.elements(var) * type_bytes(schema.variable(var).type);
}

Alignment alignment_of(const Config& config) noexcept {
  return {config.header_free_bytes, config.variable_align_bytes, config.record_align_bytes};
}

std::int64_t first_place(std::int64_t header_bytes, const Alignment& alignment) noexcept {
  return aligned_place(saturated_sum(header_bytes, alignment.header_free_bytes), alignment.variable_align_bytes);
}

FileOffsets place_variables(std::int64_t header_bytes, std::span<const VariableSize> variables,
                            const Alignment& alignment) {
  FileOffsets places;
  places.begin.resize(variables.size());
  const auto records = std::count_if(variables.begin(), variables.end(), [](const auto& each) { return each.record; });
  std::int64_t at = first_place(header_bytes, alignment);
  const auto place = [&](bool record) {
    for (std::size_t v = 0; v < variables.size(); ++v) {
      if (variables[v].record != record) continue;
      if (!record) at = aligned_place(at, alignment.variable_align_bytes);
      places.begin[v] = at;
      at = saturated_sum(at, record && records == 1 ? variables[v].bytes : aligned_place(variables[v].bytes, 0));
    }
    return at;
  };
  places.fixed_end = place(false);
  at = aligned_place(at, alignment.variable_align_bytes);
  places.record_begin = at = aligned_place(at, alignment.record_align_bytes);
  places.record_bytes = place(true) - places.record_begin;
  return places;
}

FileOffsets place_variables(const Schema& schema, int format, const Alignment& alignment) {
  std::vector<VariableSize> variables;
  for (int var = 0; var < static_cast<int>(schema.variables().size()); ++var)
    variables.push_back({schema.is_record(var), variable_bytes(schema, var)});
  return place_variables(header_bytes(schema, format), variables, alignment);
}

}  // namespace weir
