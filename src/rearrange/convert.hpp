// SPDX-License-Identifier: Apache-2.0
// Converts one element: load, range rule, conversion, byte order, store. rearrange/copy.hpp states the range rule. A
// value that does not fit is never converted, so nothing here is undefined behaviour. Local.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "rearrange/copy.hpp"
#include "schema/types.hpp"

namespace weir {

enum class ByteOrder { native, big };

template <std::size_t Bytes>
using UnsignedOf = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<Bytes == 2, std::uint16_t, std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>>;

template <class Bits>
[[gnu::always_inline]] constexpr Bits swap_bytes(Bits bits) noexcept {
  if constexpr (sizeof(Bits) == 2) return __builtin_bswap16(bits);
  if constexpr (sizeof(Bits) == 4) return __builtin_bswap32(bits);
  if constexpr (sizeof(Bits) == 8) return __builtin_bswap64(bits);
  return bits;
}

template <ByteOrder order, class Bits>
[[gnu::always_inline]] constexpr Bits reorder(Bits bits) noexcept {
  if constexpr (order == ByteOrder::big && std::endian::native == std::endian::little) return swap_bytes(bits);
  return bits;
}

// Loads and stores take any alignment.
template <class Value, ByteOrder order>
[[gnu::always_inline]] inline Value load(const std::byte* from) noexcept {
  UnsignedOf<sizeof(Value)> bits;
  std::memcpy(&bits, from, sizeof bits);
  return std::bit_cast<Value>(reorder<order>(bits));
}

template <ByteOrder order, class Value>
[[gnu::always_inline]] inline void store(std::byte* to, Value value) noexcept {
  const auto bits = reorder<order>(std::bit_cast<UnsignedOf<sizeof(Value)>>(value));
  std::memcpy(to, &bits, sizeof bits);
}

// Whether a real, before it is truncated, lies between an integer type's minimum and maximum. NaN does not: each
// comparison with it is false.
template <class Integer, class Real>
[[gnu::always_inline]] constexpr bool real_fits(Real value) noexcept {
  using Limits = std::numeric_limits<Integer>;
  constexpr Real min = static_cast<Real>(Limits::min());
  if constexpr (Limits::digits <= std::numeric_limits<Real>::digits) {
    return (value >= min) & (value <= static_cast<Real>(Limits::max()));
  } else {
    // The maximum itself is no Real, and none lies between it and the power of two above it.
    constexpr Real end = static_cast<Real>(std::uint64_t{1} << (Limits::digits - 1)) * 2;
    return (value >= min) & (value < end);
  }
}

// Whether every Source value fits Target, so that no value is checked. If infinities do not fit, they do not from float
// to double in a file (big), and do in memory (native): PnetCDF's put compares them with DBL_MAX, its get does not.
template <class Target, ByteOrder target_order, Infinities infinities, class Source>
constexpr bool always_fits = [] {
  if constexpr (std::is_floating_point_v<Target>) {
    return std::is_integral_v<Source> ||
           (sizeof(Target) >= sizeof(Source) && (infinities == Infinities::fit || target_order == ByteOrder::native));
  } else if constexpr (std::is_floating_point_v<Source>) {
    return false;
  } else {
    using Limits = std::numeric_limits<Source>;
    return std::in_range<Target>(Limits::min()) && std::in_range<Target>(Limits::max());
  }
}();

template <class Target, ByteOrder target_order, Infinities infinities, class Source>
[[gnu::always_inline]] constexpr bool fits(Source value) noexcept {
  if constexpr (always_fits<Target, target_order, infinities, Source>) {
    return true;
  } else if constexpr (std::is_floating_point_v<Target>) {
    // In double, which holds the limits of both. NaN is not beyond them: each comparison with it is false.
    const double size = std::fabs(static_cast<double>(value));
    const bool beyond = size > static_cast<double>(std::numeric_limits<Target>::max());
    if constexpr (infinities == Infinities::fit) return !(beyond & (size < std::numeric_limits<double>::infinity()));
    return !beyond;
  } else if constexpr (std::is_floating_point_v<Source>) {
    return real_fits<Target>(value);
  } else {
    return std::in_range<Target>(value);
  }
}

// Bytes as they are, or reversed: the same type on both sides. Everything fits.
template <std::size_t Bytes, ByteOrder order>
struct CopyElement {
  static constexpr std::int64_t source_bytes = Bytes;
  static constexpr std::int64_t target_bytes = Bytes;
  static constexpr bool checked = false;

  explicit CopyElement(const ExternalValue&) noexcept {}

  [[gnu::always_inline]] bool operator()(const std::byte* source, std::byte* target) const noexcept {
    using Bits = UnsignedOf<Bytes>;
    store<ByteOrder::native>(target, load<Bits, order>(source));
    return true;
  }
};

// Another type on each side; `fill` holds the value for what does not fit, as it lies in the target.
template <class Source, ByteOrder source_order, class Target, ByteOrder target_order,
          Infinities infinities = Infinities::fit>
struct ConvertElement {
  static constexpr std::int64_t source_bytes = sizeof(Source);
  static constexpr std::int64_t target_bytes = sizeof(Target);
  static constexpr bool checked = !always_fits<Target, target_order, infinities, Source>;

  explicit ConvertElement(const ExternalValue& fill) noexcept : fill_(load<Target, ByteOrder::native>(fill.data())) {}

  [[gnu::always_inline]] bool operator()(const std::byte* source, std::byte* target) const noexcept {
    const Source value = load<Source, source_order>(source);
    if (!fits<Target, target_order, infinities>(value)) [[unlikely]] {
      store<ByteOrder::native>(target, fill_);
      return false;
    }
    store<target_order>(target, static_cast<Target>(value));
    return true;
  }

 private:
  Target fill_;
};

}  // namespace weir
