// SPDX-License-Identifier: Apache-2.0
// The external types of netCDF classic and strings: their sizes, names, ranges and default fill values. Pure, Local.
#pragma once

#include <weir/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace weir {

using Type = weir_type;

// Returns the bytes of one element, in memory and in the file; 1 for WEIR_STRING, a byte of its texts.
// Requires: `type` is valid, or WEIR_STRING.
int type_bytes(Type type) noexcept;
// Whether a variable may have this type; not WEIR_STRING.
bool type_is_valid(int type) noexcept;
// Whether it is float or double.
constexpr bool is_real_type(Type type) noexcept {
  return type == WEIR_FLOAT || type == WEIR_DOUBLE;
}
// Returns "byte", "char", ... as ncdump writes them.
std::string_view type_name(Type type) noexcept;
// Returns the bytes that a variable, an attribute or a name takes in a classic file: the next multiple of four.
constexpr std::int64_t padded_bytes(std::int64_t bytes) noexcept {
  return (bytes + 3) / 4 * 4;
}
// Whether only CDF-5 has the type: the unsigned types, and 64-bit integers.
bool type_needs_cdf5(Type type) noexcept;

// One element in external form (big-endian), in the first type_bytes(type) bytes.
using ExternalValue = std::array<std::byte, 8>;
// Returns netCDF's default fill value of a type (NC_FILL_*).
ExternalValue default_fill(Type type) noexcept;

// Calls f(T{}) with the C++ type of `type`: signed char, char, short, int, float, double, unsigned char, ...
template <class F>
decltype(auto) with_type(Type type, F&& f) {
  switch (type) {
    case WEIR_BYTE:
      return f(static_cast<signed char>(0));
    case WEIR_CHAR:
    case WEIR_STRING:
      return f(static_cast<char>(0));
    case WEIR_SHORT:
      return f(static_cast<std::int16_t>(0));
    case WEIR_INT:
      return f(static_cast<std::int32_t>(0));
    case WEIR_FLOAT:
      return f(0.0F);
    case WEIR_DOUBLE:
      return f(0.0);
    case WEIR_UBYTE:
      return f(static_cast<unsigned char>(0));
    case WEIR_USHORT:
      return f(static_cast<std::uint16_t>(0));
    case WEIR_UINT:
      return f(static_cast<std::uint32_t>(0));
    case WEIR_INT64:
      return f(static_cast<std::int64_t>(0));
    case WEIR_UINT64:
      break;
  }
  return f(static_cast<std::uint64_t>(0));
}

// Returns an element of a number type in memory as a double.
inline double number_at(Type type, const std::byte* element) {
  return with_type(type, [&](auto value) {
    std::memcpy(&value, element, sizeof value);
    return static_cast<double>(value);
  });
}

}  // namespace weir
