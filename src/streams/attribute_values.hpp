// SPDX-License-Identifier: Apache-2.0
// The values of an attribute: found, told apart from text, and as values of another type. Pure, Local.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "schema/schema.hpp"

namespace weir {

inline constexpr const char* fill_name = "_FillValue";

// nullptr: there is none of this name.
const Attribute* find_attribute(const std::vector<Attribute>& attributes, std::string_view name);
bool is_text(const Attribute& attribute) noexcept;
// The first value as a number. Requires: it has one, and is no text.
double first_value(const Attribute& attribute);
// The attribute with values of another number type; nullopt if one of them does not survive: a real may be rounded to
// a shorter real, nothing else may change.
std::optional<Attribute> converted(const Attribute& attribute, Type type);
// netCDF's default fill value as a number of the type.
Attribute default_fill_attribute(Type type);

// A range of numbers, both ends in it.
struct NumberRange {
  double least, most;
};
// What the attributes valid_range, or valid_min and valid_max, say of a field's values.
std::optional<NumberRange> valid_range(const std::vector<Attribute>& attributes);

}  // namespace weir
