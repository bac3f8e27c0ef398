// SPDX-License-Identifier: Apache-2.0
#include "descriptor.hpp"

#include <algorithm>
#include <array>
#include <cstring>

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

// An axis of one element has any stride; an empty array is as good as a contiguous one.
bool has_gaps(const CFI_cdesc_t& array) {
  if (!has_known_size(array) || element_count(array) == 0) return false;
  auto expected = static_cast<CFI_index_t>(array.elem_len);
  for (int axis = 0; axis < array.rank; ++axis) {
    if (array.dim[axis].extent > 1 && array.dim[axis].sm != expected) return true;
    expected *= array.dim[axis].extent;
  }
  return false;
}

// Calls visit(address of an element) in array element order.
template <class Visit>
void visit_elements(const CFI_cdesc_t& array, Visit visit) {
  const std::int64_t count = element_count(array);
  std::array<CFI_index_t, CFI_MAX_RANK> index{};
  auto* element = static_cast<std::byte*>(array.base_addr);
  for (std::int64_t i = 0; i < count; ++i) {
    visit(element);
    for (int axis = 0; axis < array.rank; ++axis) {
      element += array.dim[axis].sm;
      if (++index[static_cast<std::size_t>(axis)] < array.dim[axis].extent) break;
      element -= array.dim[axis].sm * array.dim[axis].extent;
      index[static_cast<std::size_t>(axis)] = 0;
    }
  }
}

std::int64_t integer_at(const std::byte* address, std::size_t bytes) {
  if (bytes == sizeof(std::int64_t)) {
    std::int64_t value = 0;
    std::memcpy(&value, address, sizeof value);
    return value;
  }
  std::int32_t value = 0;
  std::memcpy(&value, address, sizeof value);
  return value;
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
  std::vector<std::int64_t> values;
  const std::int64_t count = element_count(array);
  if (count < 0) throw Refusal(WEIR_EARGUMENT, "an index array is of assumed size; give a section with an upper bound");
  values.reserve(static_cast<std::size_t>(count));
  visit_elements(array, [&](const std::byte* element) { values.push_back(integer_at(element, array.elem_len)); });
  return values;
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
    : array_(array),
      type_(memory_type(array)),
      element_bytes_(type_ == WEIR_CHAR ? 1 : array.elem_len),
      length_(element_count(array) * static_cast<std::int64_t>(array.elem_len / element_bytes_)) {
  if (!has_gaps(array)) return;
  packed_.resize(static_cast<std::size_t>(length_) * element_bytes_);
  auto* next = packed_.data();
  visit_elements(array, [&](const std::byte* element) { next = std::copy_n(element, array.elem_len, next); });
}

void Buffer::unpack() {
  if (packed_.empty()) return;
  const auto* next = packed_.data();
  visit_elements(array_, [&](std::byte* element) {
    std::copy_n(next, array_.elem_len, element);
    next += array_.elem_len;
  });
}

std::string_view type_name(weir_type type) noexcept {
  constexpr std::array<std::string_view, 12> names{"",       "byte",  "char",   "short", "int",   "float",
                                                   "double", "ubyte", "ushort", "uint",  "int64", "uint64"};
  const auto number = static_cast<std::size_t>(type);
  return number < names.size() ? names[number] : "unknown";
}

}  // namespace weir::fortran
