// SPDX-License-Identifier: Apache-2.0
// Errors and elements of weir.hpp: the exception, and which C++ types are elements of a buffer. Included by weir.hpp.
#ifndef WEIR_ELEMENTS_HPP
#define WEIR_ELEMENTS_HPP

#include <weir/types.h>

#include <concepts>
#include <cstdint>
#include <ranges>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace weir::io {

class Error : public std::runtime_error {
 public:
  Error(int code, const std::string& sentence) : std::runtime_error(sentence), code_(static_cast<weir_code>(code)) {}
  weir_code code() const noexcept { return code_; }

 private:
  weir_code code_;
};

template <class T, class... Ts>
concept OneOf = (std::same_as<T, Ts> || ...);

// The types of elements in memory: char is text, the integers are taken by size and sign.
template <class T>
concept Element = OneOf<T, char, signed char, unsigned char, short, unsigned short, int, unsigned, long, unsigned long,
                        long long, unsigned long long, float, double>;

template <Element T>
constexpr weir_type type_of() noexcept {
  if constexpr (std::same_as<T, char>) return WEIR_CHAR;
  if constexpr (std::same_as<T, float>) return WEIR_FLOAT;
  if constexpr (std::same_as<T, double>) return WEIR_DOUBLE;
  constexpr bool is_signed = std::is_signed_v<T>;
  if constexpr (sizeof(T) == 1) return is_signed ? WEIR_BYTE : WEIR_UBYTE;
  if constexpr (sizeof(T) == 2) return is_signed ? WEIR_SHORT : WEIR_USHORT;
  if constexpr (sizeof(T) == 4) return is_signed ? WEIR_INT : WEIR_UINT;
  return is_signed ? WEIR_INT64 : WEIR_UINT64;
}

template <class R>
concept ElementRange =
    std::ranges::contiguous_range<R> && std::ranges::sized_range<R> && Element<std::ranges::range_value_t<R>>;

template <class R>
concept WritableElementRange =
    ElementRange<R> && !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<R>>>;

// Elements that a buffer has, and those that `owner` needs. Negative: not known, the library says what is wrong.
struct Sizes {
  std::int64_t given, needed;
  const char* owner;
  // Where nothing is needed any buffer will do.
  bool differ() const noexcept { return needed > 0 && given != needed; }
  std::string sentence(const std::string& call) const {
    return call + ": the buffer has " + std::to_string(given) + " elements, " + owner + " needs " +
           std::to_string(needed) + ": give a buffer of that size";
  }
};

}  // namespace weir::io

#endif
