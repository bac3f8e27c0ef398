// SPDX-License-Identifier: Apache-2.0
#include "streams/attribute_values.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "schema/name.hpp"
#include "weir/weir.h"

namespace weir {

namespace {

// Whether a value survives as another type: a real may be rounded to a shorter real, nothing else may change.
template <class To, class From>
bool survives(From value) {
  if constexpr (std::is_floating_point_v<To>) {
    return !std::isfinite(static_cast<double>(value)) ||
           std::fabs(static_cast<double>(value)) <= static_cast<double>(std::numeric_limits<To>::max());
  } else if constexpr (std::is_floating_point_v<From>) {
    const auto least = static_cast<double>(std::numeric_limits<To>::min());
    const double beyond = std::ldexp(1.0, std::numeric_limits<To>::digits);
    const auto real = static_cast<double>(value);
    return real >= least && real < beyond && real == std::trunc(real);
  } else {
    return std::in_range<std::conditional_t<std::is_same_v<To, char>, signed char, To>>(
        static_cast<std::conditional_t<std::is_same_v<From, char>, signed char, From>>(value));
  }
}

}  // namespace

const Attribute* find_attribute(const std::vector<Attribute>& attributes, std::string_view name) {
  const int found = find_name(attributes, name);
  return found < 0 ? nullptr : &attributes[static_cast<std::size_t>(found)];
}

bool is_text(const Attribute& attribute) noexcept {
  return attribute.type == WEIR_CHAR || (attribute.type == WEIR_STRING && attribute.count == 1);
}

double first_value(const Attribute& attribute) {
  return number_at(attribute.type, attribute.values.data());
}

std::optional<Attribute> converted(const Attribute& attribute, Type type) {
  if (attribute.type == type) return attribute;
  if (attribute.type == WEIR_CHAR || attribute.type == WEIR_STRING) return std::nullopt;
  Attribute result{attribute.name, type, attribute.count, {}};
  const bool whole = with_type(attribute.type, [&](auto from) {
    return with_type(type, [&](auto to) {
      for (std::int64_t i = 0; i < attribute.count; ++i) {
        std::memcpy(&from, attribute.values.data() + static_cast<std::size_t>(i) * sizeof from, sizeof from);
        if (!survives<decltype(to)>(from)) return false;
        to = static_cast<decltype(to)>(from);
        const auto* const bytes = reinterpret_cast<const std::byte*>(&to);
        result.values.insert(result.values.end(), bytes, bytes + sizeof to);
      }
      return true;
    });
  });
  return whole ? std::optional(result) : std::nullopt;
}

Attribute default_fill_attribute(Type type) {
  const ExternalValue external = default_fill(type);
  Attribute fill{fill_name, type, 1, {external.begin(), external.begin() + type_bytes(type)}};
  if constexpr (std::endian::native == std::endian::little) std::reverse(fill.values.begin(), fill.values.end());
  return fill;
}

std::optional<NumberRange> valid_range(const std::vector<Attribute>& attributes) {
  const Attribute* const both = find_attribute(attributes, "valid_range");
  if (both != nullptr && both->count == 2 && both->type != WEIR_CHAR) {
    const auto range = converted(*both, WEIR_DOUBLE);
    std::array<double, 2> ends{};
    if (range) std::memcpy(ends.data(), range->values.data(), sizeof ends);
    if (ends[0] < ends[1]) return NumberRange{ends[0], ends[1]};
  }
  const Attribute* const least = find_attribute(attributes, "valid_min");
  const Attribute* const most = find_attribute(attributes, "valid_max");
  if (least == nullptr || most == nullptr || least->count != 1 || most->count != 1) return std::nullopt;
  if (least->type == WEIR_CHAR || most->type == WEIR_CHAR) return std::nullopt;
  const NumberRange range{first_value(*least), first_value(*most)};
  return range.least < range.most ? std::optional(range) : std::nullopt;
}

}  // namespace weir
