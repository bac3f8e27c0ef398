// SPDX-License-Identifier: Apache-2.0
#include "values.hpp"

#include "answer.hpp"
#include "base/text.hpp"

namespace weir::fortran {
namespace {

std::int64_t product(std::span<const std::int64_t> lengths) {
  std::int64_t elements = 1;
  for (const auto length : lengths) elements *= length;
  return elements;
}

// The type in the file of values that are of `memory`: Fortran has no kind for unsigned numbers.
weir_type external_type(weir_type memory, int asked) {
  const bool is_unsigned_twin =
      (memory == WEIR_BYTE && asked == WEIR_UBYTE) || (memory == WEIR_SHORT && asked == WEIR_USHORT) ||
      (memory == WEIR_INT && asked == WEIR_UINT) || (memory == WEIR_INT64 && asked == WEIR_UINT64);
  if (!is_unsigned_twin && asked != memory)
    throw Refusal(WEIR_EARGUMENT,
                  formatted("the type is to be {}, but the values are {}; give values of a kind of that size",
                            type_name(static_cast<weir_type>(asked)), type_name(memory)));
  return static_cast<weir_type>(asked);
}

}  // namespace

void require_fit(const Buffer& values, std::span<const std::int64_t> wanted, const std::string& owner) {
  const std::int64_t elements = product(wanted);
  if (values.length() < 0 || elements <= 0) return;
  if (values.length() != elements)
    throw Refusal(WEIR_EARGUMENT, formatted("values have {} elements, but {} needs {}; give an array of that size",
                                            values.length(), owner, elements));
  if (!fit(values.shape(), wanted))
    throw Refusal(
        WEIR_EARGUMENT,
        formatted("values have the shape {}, but {} needs {}; give an array of that shape, or of one dimension",
                  in_words(values.shape(), counting), owner, in_words(wanted, counting)));
}

std::vector<std::string> texts_of(const CFI_cdesc_t& array, const Buffer& values) {
  std::vector<std::string> texts;
  const auto length = static_cast<std::int64_t>(array.elem_len);
  for (std::int64_t at = 0; length > 0 && at < values.length(); at += length) {
    texts.emplace_back(static_cast<const char*>(values.data()) + at, array.elem_len);
    texts.back().erase(texts.back().find_last_not_of(' ') + 1);
  }
  return texts;
}

AttributeValues::AttributeValues(const CFI_cdesc_t& array, const int* type) {
  const Buffer values(array);
  if (values.length() < 0)
    throw Refusal(WEIR_EARGUMENT, "the values are an assumed-size array; give a section with an upper bound");
  if (type != nullptr && *type == WEIR_STRING) {
    if (values.type() != WEIR_CHAR)
      throw Refusal(WEIR_EARGUMENT, formatted("the type is to be string, but the values are {}; give characters",
                                              type_name(values.type())));
    texts_ = texts_of(array, values);
    for (const std::string& text : texts_) pointers_.push_back(text.c_str());
    type_ = WEIR_STRING;
    count_ = std::ssize(pointers_);
    data_ = pointers_.data();
  } else {
    type_ = type == nullptr ? values.type() : external_type(values.type(), *type);
    count_ = values.length();
    data_ = values.data();
  }
}

}  // namespace weir::fortran
