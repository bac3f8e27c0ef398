// SPDX-License-Identifier: Apache-2.0
// Determines which classic format can hold a schema, by the offsets that the library will give its variables. Source:
// The NetCDF Classic Format Specification (header grammar, notes on vsize and offsets).
#include <algorithm>
#include <cstdint>

#include "base/text.hpp"
#include "schema/file_offsets.hpp"
#include "schema/name.hpp"
#include "schema/schema.hpp"

namespace weir {
namespace {

// What a format can say. The 3 bytes less leave room for a variable's padding.
struct Limits {
  std::int64_t dimension_length;
  std::int64_t variable_bytes;
  std::int64_t begin;
  std::int64_t count_bytes;   // a count in the header
  std::int64_t offset_bytes;  // an offset in the header
};

Limits limits_of(int format) noexcept {
  if (format == 1) return {INT32_MAX - 3LL, INT32_MAX - 3LL, INT32_MAX, 4, 4};
  if (format == 2) return {UINT32_MAX - 3LL, UINT32_MAX - 3LL, INT64_MAX, 4, 8};
  return {INT64_MAX - 3, INT64_MAX - 3, INT64_MAX, 8, 8};
}

constexpr std::int64_t unit_bytes = 4;  // of a tag or a type in the header

std::int64_t name_bytes(const std::string& name, const Limits& limits) {
  return limits.count_bytes + padded_bytes(std::ssize(name));
}

std::int64_t attributes_bytes(const std::vector<Attribute>& attributes, const Limits& limits) {
  std::int64_t bytes = unit_bytes + limits.count_bytes;
  for (const auto& attribute : attributes) {
    bytes += name_bytes(attribute.name, limits) + unit_bytes + limits.count_bytes +
             padded_bytes(std::ssize(attribute.values));
  }
  return bytes;
}

std::string format_name(int format) {
  return formatted("CDF-{}", format);
}

std::optional<std::string> type_obstacle(const Schema& schema, int format) {
  const auto tell = [&](const std::string& what, Type type) {
    return formatted("{} has type {}, which {} does not know", what, type_name(type), format_name(format));
  };
  const auto attribute_obstacle = [&](int var, const std::string& whose) -> std::optional<std::string> {
    for (const auto& attribute : schema.attributes(var)) {
      if (type_needs_cdf5(attribute.type)) {
        return tell(formatted("attribute \"{}\" of {}", attribute.name, whose), attribute.type);
      }
    }
    return std::nullopt;
  };
  if (auto obstacle = attribute_obstacle(WEIR_GLOBAL, "the file")) return obstacle;
  for (int var = 0; var < static_cast<int>(schema.variables().size()); ++var) {
    const Variable& variable = schema.variable(var);
    const std::string whose = formatted("variable \"{}\"", variable.name);
    if (type_needs_cdf5(variable.type)) return tell(whose, variable.type);
    if (auto obstacle = attribute_obstacle(var, whose)) return obstacle;
  }
  return std::nullopt;
}

std::optional<std::string> length_obstacle(const Schema& schema, int format) {
  const std::int64_t largest = limits_of(format).dimension_length;
  for (const auto& dimension : schema.dimensions()) {
    if (dimension.length > largest) {
      return formatted("dimension \"{}\" has length {}, and {} holds at most {}", dimension.name, dimension.length,
                       format_name(format), largest);
    }
  }
  return std::nullopt;
}

// The first variable larger than the format's limit, but for one whose size no offset depends on: the last fixed
// variable of a file without record variables, or the last record variable.
std::optional<int> oversized_variable(const Schema& schema, int format, bool except_last) {
  const int variables = static_cast<int>(schema.variables().size());
  const auto last_of = [&](bool record) {
    for (int var = variables - 1; var >= 0; --var) {
      if (schema.is_record(var) == record) return var;
    }
    return -1;
  };
  const int last_record = last_of(true);
  const int exempt = !except_last ? -1 : (last_record >= 0 ? last_record : last_of(false));
  for (int var = 0; var < variables; ++var) {
    if (var != exempt && variable_bytes(schema, var) > limits_of(format).variable_bytes) return var;
  }
  return std::nullopt;
}

std::optional<std::string> begin_obstacle(const Schema& schema, const Alignment& alignment, int format) {
  const Limits limits = limits_of(format);
  const std::int64_t first = first_place(header_bytes(schema, format), alignment);
  if (first > INT32_MAX) {
    return formatted("the header with its free bytes takes {} bytes, and PnetCDF holds at most {}", first, INT32_MAX);
  }
  const FileOffsets places = place_variables(schema, format, alignment);
  for (const bool record : {false, true}) {
    for (int var = 0; var < static_cast<int>(schema.variables().size()); ++var) {
      if (schema.is_record(var) != record) continue;
      const std::int64_t begin = places.first_byte(var, 0);
      const std::int64_t end = saturated_sum(begin, aligned_place(variable_bytes(schema, var), 0));
      if (begin > limits.begin || end == INT64_MAX) {
        return formatted("variable \"{}\" would begin at byte {} and end at byte {}, beyond what {} can say",
                         schema.variable(var).name, begin, end, format_name(format));
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> classic_obstacle(const Schema& schema) {
  const std::string advice = ", and classic formats have none; make the file as netCDF-4";
  const auto grouped = [&](const std::string& what, const std::string& name) -> std::optional<std::string> {
    if (group_prefix(name).empty()) return std::nullopt;
    return formatted("{} \"{}\" is in a group{}", what, name, advice);
  };
  const auto attribute_obstacle = [&](int var, const std::string& whose) -> std::optional<std::string> {
    for (const Attribute& attribute : schema.attributes(var)) {
      if (attribute.type == WEIR_STRING)
        return formatted("attribute \"{}\" of {} has strings{} or Zarr, or give it as text", attribute.name, whose,
                         advice);
      if (auto obstacle = grouped("attribute", attribute.name)) return obstacle;
    }
    return std::nullopt;
  };
  for (const Dimension& dimension : schema.dimensions()) {
    if (auto obstacle = grouped("dimension", dimension.name)) return obstacle;
    if (dimension.grows)
      return formatted(
          "dimension \"{}\" is a second unlimited dimension, and classic formats have one; make the file as netCDF-4 "
          "or Zarr",
          dimension.name);
  }
  if (auto obstacle = attribute_obstacle(WEIR_GLOBAL, "the file")) return obstacle;
  for (int var = 0; var < static_cast<int>(schema.variables().size()); ++var) {
    const std::string& name = schema.variable(var).name;
    if (auto obstacle = grouped("variable", name)) return obstacle;
    if (auto obstacle = attribute_obstacle(var, formatted("variable \"{}\"", name))) return obstacle;
  }
  return std::nullopt;
}

std::int64_t header_bytes(const Schema& schema, int format) {
  const Limits limits = limits_of(format);
  const std::int64_t list_head = unit_bytes + limits.count_bytes;
  std::int64_t bytes = unit_bytes + limits.count_bytes + list_head + list_head;
  for (const auto& dimension : schema.dimensions()) bytes += name_bytes(dimension.name, limits) + limits.count_bytes;
  bytes += attributes_bytes(schema.attributes(WEIR_GLOBAL), limits);
  for (const auto& variable : schema.variables()) {
    bytes += name_bytes(variable.name, limits) +
             limits.count_bytes * (1 + static_cast<std::int64_t>(variable.dims.size())) +
             attributes_bytes(variable.attributes, limits) + unit_bytes + limits.count_bytes + limits.offset_bytes;
  }
  return bytes;
}

std::optional<std::string> format_obstacle(const Schema& schema, const Alignment& alignment, int format) {
  if (format != 1 && format != 2 && format != 5)
    return formatted("{} is not a netCDF classic format", format_name(format));
  if (auto obstacle = classic_obstacle(schema)) return obstacle;
  if (format != 5) {
    if (auto obstacle = type_obstacle(schema, format)) return obstacle;
  }
  if (auto obstacle = length_obstacle(schema, format)) return obstacle;
  if (const auto var = oversized_variable(schema, format, true)) {
    return formatted("variable \"{}\" has {} bytes{}, and {} holds at most {} but in the last variable",
                     schema.variable(*var).name, variable_bytes(schema, *var),
                     schema.is_record(*var) ? " a record" : "", format_name(format), limits_of(format).variable_bytes);
  }
  return begin_obstacle(schema, alignment, format);
}

int minimal_format(const Schema& schema, const Alignment& alignment) {
  for (const int format : {1, 2}) {
    if (!oversized_variable(schema, format, false) && !format_obstacle(schema, alignment, format)) return format;
  }
  return 5;
}

}  // namespace weir
