// SPDX-License-Identifier: Apache-2.0
#include "descriptor.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace weir::fortran {
namespace {

bool is_integer(CFI_type_t type) {
  constexpr std::array types{CFI_type_signed_char, CFI_type_short,     CFI_type_int,
                             CFI_type_long,        CFI_type_long_long, CFI_type_int8_t,
                             CFI_type_int16_t,     CFI_type_int32_t,   CFI_type_int64_t};
  return std::find(types.begin(), types.end(), type) != types.end();
}

weir_type memory_type(const CFI_cdesc_t& array) {
  if (array.type == CFI_type_char) return WEIR_CHAR;
  if (array.type == CFI_type_float) return WEIR_FLOAT;
  if (array.type == CFI_type_double) return WEIR_DOUBLE;
  if (is_integer(array.type)) {
    if (array.elem_len == 1) return WEIR_BYTE;
    if (array.elem_len == 2) return WEIR_SHORT;
    if (array.elem_len == 4) return WEIR_INT;
    if (array.elem_len == 8) return WEIR_INT64;
  }
  throw Refusal(WEIR_EARGUMENT,
                "values are of a type that netCDF does not have; give integer(int8, int16, int32, int64), "
                "real(real32, real64) or character");
}

bool has_known_size(const CFI_cdesc_t& array) {
  return array.rank == 0 || array.dim[array.rank - 1].extent >= 0;
}

std::int64_t element_count(const CFI_cdesc_t& array) {
  if (!has_known_size(array)) return -1;
  std::int64_t count = 1;
  for (int axis = 0; axis < array.rank; ++axis) count *= array.dim[axis].extent;
  return count;
}

// Two faults of GNU 12 look alike here. It does not pack a component of an array of derived type, nor a substring of an
// array of texts: their elements are a multiple of their length apart. And it leaves the distance undefined in an
// allocatable array that got its memory by assigning RESHAPE or SPREAD. A distance that no such component has is taken
// for the latter; in doubt the array is refused, because the other guess would write wrong data.
void require_one_piece(const CFI_cdesc_t& array) {
  constexpr CFI_index_t largest_derived_type_bytes = 1 << 16;
  if (!has_known_size(array) || element_count(array) <= 1) return;
  int axis = 0;
  while (array.dim[axis].extent == 1) ++axis;
  const CFI_index_t distance = array.dim[axis].sm;
  const auto length = static_cast<CFI_index_t>(array.elem_len);
  if (distance == length || distance <= 0 || distance > largest_derived_type_bytes || distance % length != 0) return;
  throw Refusal(WEIR_EARGUMENT,
                formatted("an array has elements of {} bytes that are {} bytes apart, as a component of an array of "
                          "derived type has; put parentheses around it, or copy it into an array made by ALLOCATE",
                          length, distance));
}

// Whether `joined` is `axes` with neighbours multiplied.
bool is_joined(std::span<const std::int64_t> joined, std::span<const std::int64_t> axes) {
  auto axis = axes.begin();
  for (const std::int64_t length : joined) {
    std::int64_t product = 1;
    while (product < length && axis != axes.end()) product *= *axis++;
    if (product != length) return false;
  }
  return std::all_of(axis, axes.end(), [](std::int64_t length) { return length == 1; });
}

}  // namespace

std::string whole_text(const CFI_cdesc_t& text) {
  return {static_cast<const char*>(text.base_addr), text.elem_len};
}

std::string trimmed_text(const CFI_cdesc_t* text) {
  if (text == nullptr || text->base_addr == nullptr || text->type != CFI_type_char) return {};
  std::string value = whole_text(*text);
  value.erase(value.find_last_not_of(' ') + 1);
  return value;
}

void assign_text(CFI_cdesc_t* variable, std::string_view value) {
  if (variable == nullptr || variable->base_addr == nullptr || variable->type != CFI_type_char) return;
  auto* characters = static_cast<char*>(variable->base_addr);
  const std::size_t kept = std::min(value.size(), variable->elem_len);
  std::copy_n(value.data(), kept, characters);
  std::fill(characters + kept, characters + variable->elem_len, ' ');
}

std::vector<std::int64_t> integers(const CFI_cdesc_t& array) {
  const std::int64_t count = element_count(array);
  if (count < 0) throw Refusal(WEIR_EARGUMENT, "an index array is of assumed size; give a section with an upper bound");
  require_one_piece(array);
  if (array.elem_len == sizeof(std::int64_t)) {
    const auto* first = static_cast<const std::int64_t*>(array.base_addr);
    return {first, first + count};
  }
  const auto* first = static_cast<const std::int32_t*>(array.base_addr);
  return {first, first + count};
}

std::vector<std::int64_t> axis_lengths(const CFI_cdesc_t& array) {
  auto lengths = integers(array);
  std::reverse(lengths.begin(), lengths.end());
  return lengths;
}

std::vector<std::int64_t> axis_starts(const CFI_cdesc_t& array) {
  auto starts = axis_lengths(array);
  for (auto& start : starts) --start;
  return starts;
}

std::vector<int> axis_order(const CFI_cdesc_t* order) {
  if (order == nullptr) return {};
  const auto axes = axis_lengths(*order);
  std::vector<int> turned;
  for (const auto axis : axes) turned.push_back(static_cast<int>(static_cast<std::int64_t>(axes.size()) - axis));
  return turned;
}

Buffer::Buffer(const CFI_cdesc_t& array)
    : type_(memory_type(array)), length_(element_count(array)), data_(array.base_addr) {
  require_one_piece(array);
  for (int axis = array.rank; length_ >= 0 && axis-- > 0;) shape_[axes_++] = array.dim[axis].extent;
  if (type_ != WEIR_CHAR) return;
  length_ *= static_cast<std::int64_t>(array.elem_len);
  if (length_ >= 0) shape_[axes_++] = static_cast<std::int64_t>(array.elem_len);
}

bool fit(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  return is_joined(a, b) || is_joined(b, a);
}

std::string_view type_name(weir_type type) noexcept {
  constexpr std::array<std::string_view, 13> names{"",      "byte",   "char", "short", "int",    "float", "double",
                                                   "ubyte", "ushort", "uint", "int64", "uint64", "string"};
  const auto number = static_cast<std::size_t>(type);
  return number < names.size() ? names[number] : "unknown";
}

}  // namespace weir::fortran
