// SPDX-License-Identifier: Apache-2.0
// What a stream makes of a field: an entry of its key `fields`. Pure, Local.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accumulate/operation.hpp"
#include "base/config_keys.hpp"
#include "streams/error_bound.hpp"
#include "streams/setting.hpp"

namespace weir {

// One entry of `fields`: which fields, and what becomes of each. `fields: [sst, "ice_*"]`, `{sst: mean}`,
// `{sst_max: {of: sst, as: maximum}}`.
struct FieldChoice {
  std::string name;  // in the file; a pattern (*, ?, [...]) if `of` is empty
  std::string of;    // the field; "": as `name`
  Operation operation = Operation::instant;
  std::optional<int> type;              // netCDF's number of the type in the file: float, double, short, ...
  int digits = 0;                       // significant decimal digits that are kept; 0: all
  std::optional<ErrorBound> max_error;  // of what the file holds
  std::optional<double> scale_factor;   // packed: value = packed * scale_factor + add_offset
  std::optional<double> add_offset;
  std::vector<std::pair<std::string, std::string>> attributes;  // text attributes, added or replaced
  int line = 0;                                                 // of the configuration; 0: unknown

  bool operator==(const FieldChoice&) const = default;
};

// What the stream says of fields that do not say it themselves.
struct UsualChoice {
  Operation operation = Operation::instant;
  std::optional<int> type;
};

// Reads a stream's `fields`.
// Errors: WEIR_ECONFIG, with the place of the entry.
std::vector<FieldChoice> parse_fields(const Setting& setting, const UsualChoice& usual);

// Reads `attributes`: text by name. `of_field`: those of a field, of which Weir sets some itself.
// Errors: WEIR_ECONFIG, with the place of the entry.
std::vector<std::pair<std::string, std::string>> parse_attributes(const Setting& setting, bool of_field);

// Reads `as`, and `type`.
// Errors: WEIR_ECONFIG, with the nearest known word.
Operation parse_operation(const Setting& setting);
Type parse_type(const Setting& setting);

// Whether the name of a choice is a pattern.
bool is_pattern(std::string_view name) noexcept;

}  // namespace weir
