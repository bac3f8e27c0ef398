// SPDX-License-Identifier: Apache-2.0
#include "read/zarr_values.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <utility>

#include "base/base64.hpp"

namespace weir {

namespace {

// "0x7fc00000": the bits of a real number, the most significant first.
template <class Real>
std::optional<Real> real_of_bits(const std::string& text) {
  std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t> bits = 0;
  if (!text.starts_with("0x") || text.size() != 2 + 2 * sizeof bits) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), bits, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return std::bit_cast<Real>(bits);
}

template <class Real>
std::optional<Real> real_of(const Json& value) {
  using Limits = std::numeric_limits<Real>;
  if (value.is_number()) return static_cast<Real>(value.get<double>());
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  if (text == "NaN") return Limits::quiet_NaN();
  if (text == "Infinity") return Limits::infinity();
  if (text == "-Infinity") return -Limits::infinity();
  return real_of_bits<Real>(text);
}

template <class Whole>
std::optional<Whole> whole_of(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (std::in_range<Whole>(number)) return static_cast<Whole>(number);
  } else if (value.is_number_integer()) {
    const auto number = value.get<std::int64_t>();
    if (std::in_range<Whole>(number)) return static_cast<Whole>(number);
  }
  return std::nullopt;
}

template <class Element>
std::optional<Element> element_of(const Json& value) {
  if constexpr (std::is_same_v<Element, char>)
    return std::nullopt;
  else if constexpr (std::is_floating_point_v<Element>)
    return real_of<Element>(value);
  else
    return whole_of<Element>(value);
}

bool add_element(const Json& value, Type type, std::vector<std::byte>& elements) {
  return with_type(type, [&](auto sample) {
    const auto element = element_of<decltype(sample)>(value);
    if (!element) return false;
    const auto bytes = std::bit_cast<std::array<std::byte, sizeof sample>>(*element);
    elements.insert(elements.end(), bytes.begin(), bytes.end());
    return true;
  });
}

}  // namespace

std::optional<std::vector<std::byte>> elements_of(const Json& value, Type type) {
  std::vector<std::byte> elements;
  if (!value.is_array()) return add_element(value, type, elements) ? std::optional(elements) : std::nullopt;
  for (const Json& each : value)
    if (!add_element(each, type, elements)) return std::nullopt;
  return elements;
}

std::optional<ExternalValue> fill_of(const Json& value, Type type) {
  ExternalValue fill{};
  if (type == WEIR_CHAR) {
    if (!value.is_string()) return std::nullopt;
    const auto bytes = from_base64(value.get_ref<const std::string&>());
    if (!bytes || bytes->size() > 1) return std::nullopt;
    std::copy(bytes->begin(), bytes->end(), fill.begin());
    return fill;
  }
  auto element = value.is_array() ? std::nullopt : elements_of(value, type);
  if (!element) return std::nullopt;
  if constexpr (std::endian::native == std::endian::little) std::reverse(element->begin(), element->end());
  std::copy(element->begin(), element->end(), fill.begin());
  return fill;
}

}  // namespace weir
