// SPDX-License-Identifier: Apache-2.0
// What one vector does for an Element, for the instruction set that is being compiled (simd.cpp includes this once for
// each): vectors of a row, and squares of an index swap. Any alignment will do but for streaming stores. All functions
// are Local.
// clang-format off
#if defined(WEIR_SIMD_VECTORS) == defined(HWY_TARGET_TOGGLE)
// clang-format on
#ifdef WEIR_SIMD_VECTORS
#undef WEIR_SIMD_VECTORS
#else
#define WEIR_SIMD_VECTORS
#endif

#include <hwy/highway.h>

#include <bit>
#include <cfloat>
#include <limits>

#include "rearrange/convert.hpp"
#include "rearrange/kernel.hpp"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace weir::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class Lane>
HWY_INLINE const Lane* lanes_at(const std::byte* from) noexcept {
  return reinterpret_cast<const Lane*>(from);
}

template <class Lane>
HWY_INLINE Lane* lanes_at(std::byte* to) noexcept {
  return reinterpret_cast<Lane*>(to);
}

// For TableLookupBytes, which works within 16 bytes: each group of Bytes reversed.
template <std::size_t Bytes>
HWY_ALIGN constexpr std::uint8_t reversal[16] = {
    0 ^ (Bytes - 1),  1 ^ (Bytes - 1),  2 ^ (Bytes - 1),  3 ^ (Bytes - 1), 4 ^ (Bytes - 1),  5 ^ (Bytes - 1),
    6 ^ (Bytes - 1),  7 ^ (Bytes - 1),  8 ^ (Bytes - 1),  9 ^ (Bytes - 1), 10 ^ (Bytes - 1), 11 ^ (Bytes - 1),
    12 ^ (Bytes - 1), 13 ^ (Bytes - 1), 14 ^ (Bytes - 1), 15 ^ (Bytes - 1)};

template <std::size_t Bytes, ByteOrder order, class D, class V>
HWY_INLINE V reorder_lanes(D d, V lanes) noexcept {
  if constexpr (order == ByteOrder::native || Bytes == 1 || std::endian::native == std::endian::big) return lanes;
  const hn::Repartition<std::uint8_t, D> bytes;
  const auto places = hn::LoadDup128(bytes, reversal<Bytes>);
  return hn::BitCast(d, hn::TableLookupBytes(hn::BitCast(bytes, lanes), places));
}

template <StoreHint store_hint, class D, class V>
HWY_INLINE void store_lanes(D d, V lanes, std::byte* to) noexcept {
  if constexpr (store_hint == StoreHint::streaming)
    hn::Stream(lanes, d, lanes_at<hn::TFromD<D>>(to));
  else
    hn::StoreU(lanes, d, lanes_at<hn::TFromD<D>>(to));
}

// For an Element: Lane is what a vector of the target has, copy() does one of D. What it stores counts only if none of
// the row's vectors has been misfit(): `misfits` gathers them, from none() on.
template <class Element>
struct Vectors;

template <std::size_t Bytes, ByteOrder order>
struct Vectors<CopyElement<Bytes, order>> {
  using Lane = UnsignedOf<Bytes>;

  template <class D>
  HWY_INLINE static bool none(D) noexcept {
    return false;
  }
  template <class D>
  HWY_INLINE static bool misfit(D, bool) noexcept {
    return false;
  }
  template <StoreHint store_hint, class D>
  HWY_INLINE static void copy(D d, const std::byte* source, std::byte* target, bool&) noexcept {
    store_lanes<store_hint>(d, reorder_lanes<Bytes, order>(d, hn::LoadU(d, lanes_at<Lane>(source))), target);
  }
};

template <Infinities infinities>
struct Vectors<ConvertElement<double, ByteOrder::native, float, ByteOrder::big, infinities>> {
  using Lane = float;

  template <class D>
  HWY_INLINE static bool none(D) noexcept {
    return false;
  }
  template <class D>
  HWY_INLINE static bool misfit(D, bool misfits) noexcept {
    return misfits;
  }
  template <class W, class V>
  HWY_INLINE static auto too_large(W wide, V values) noexcept {
    const auto size = hn::Abs(values);
    const auto beyond = hn::Gt(size, hn::Set(wide, static_cast<double>(FLT_MAX)));  // false for NaN
    if constexpr (infinities == Infinities::misfit) return beyond;
    return hn::And(beyond, hn::Lt(size, hn::Set(wide, std::numeric_limits<double>::infinity())));
  }
  template <StoreHint store_hint, class D>
  HWY_INLINE static void copy(D d, const std::byte* source, std::byte* target, bool& misfits) noexcept {
    const hn::Half<D> half;
    const hn::Rebind<double, decltype(half)> wide;
    const double* from = lanes_at<double>(source);
    const auto low = hn::LoadU(wide, from), high = hn::LoadU(wide, from + hn::Lanes(wide));
    if (!hn::AllFalse(wide, hn::Or(too_large(wide, low), too_large(wide, high)))) [[unlikely]]
      misfits = true;
    const auto values = hn::Combine(d, hn::DemoteTo(half, high), hn::DemoteTo(half, low));
    store_lanes<store_hint>(d, reorder_lanes<4, ByteOrder::big>(d, values), target);
  }
};

// Squares of an index swap: row k of the target gets element k of each row of the source. Strides in bytes.
struct Square {
  const std::byte* source;
  std::int64_t source_stride;
  std::byte* target;
  std::int64_t target_stride;
};

// Vectors of 32 bytes where every one of this instruction set has so many, else of 16.
#if HWY_TARGET == HWY_AVX2
constexpr std::size_t square_bytes = 32;
#else
constexpr std::size_t square_bytes = 16;
#endif
template <std::size_t Bytes>
constexpr std::int64_t square_edge = square_bytes / Bytes;

// A row of the square: of 32 bytes, the lower half from row k, the upper one from row k + 4.
template <ByteOrder order, class D>
HWY_INLINE auto quarter(D d, const Square& square, std::int64_t k, std::int64_t at) noexcept {
  const std::byte* near = square.source + k * square.source_stride + at;
  if constexpr (square_bytes == 16) {
    return reorder_lanes<4, order>(d, hn::LoadU(d, lanes_at<std::uint32_t>(near)));
  } else {
    const hn::Half<D> half;
    const auto far = hn::LoadU(half, lanes_at<std::uint32_t>(near + 4 * square.source_stride));
    return reorder_lanes<4, order>(d, hn::Combine(d, far, hn::LoadU(half, lanes_at<std::uint32_t>(near))));
  }
}

// Of 4 bytes: pairs of rows, then pairs of pairs.
template <ByteOrder order>
HWY_INLINE void transpose(const CopyElement<4, order>&, const Square& square) noexcept {
  const hn::FixedTag<std::uint32_t, square_bytes / 4> d;
  const hn::Repartition<std::uint64_t, decltype(d)> pairs;
  for (std::int64_t at = 0; at < static_cast<std::int64_t>(square_bytes); at += 16) {
    const auto r0 = quarter<order>(d, square, 0, at), r1 = quarter<order>(d, square, 1, at);
    const auto r2 = quarter<order>(d, square, 2, at), r3 = quarter<order>(d, square, 3, at);
    const auto low_01 = hn::BitCast(pairs, hn::InterleaveLower(d, r0, r1));
    const auto high_01 = hn::BitCast(pairs, hn::InterleaveUpper(d, r0, r1));
    const auto low_23 = hn::BitCast(pairs, hn::InterleaveLower(d, r2, r3));
    const auto high_23 = hn::BitCast(pairs, hn::InterleaveUpper(d, r2, r3));
    std::byte* to = square.target + at / 4 * square.target_stride;
    hn::StoreU(hn::InterleaveLower(pairs, low_01, low_23), pairs, lanes_at<std::uint64_t>(to));
    hn::StoreU(hn::InterleaveUpper(pairs, low_01, low_23), pairs, lanes_at<std::uint64_t>(to + square.target_stride));
    to += 2 * square.target_stride;
    hn::StoreU(hn::InterleaveLower(pairs, high_01, high_23), pairs, lanes_at<std::uint64_t>(to));
    hn::StoreU(hn::InterleaveUpper(pairs, high_01, high_23), pairs, lanes_at<std::uint64_t>(to + square.target_stride));
  }
}

template <ByteOrder order, class D>
HWY_INLINE auto row_of_8(D d, const Square& square, std::int64_t k) noexcept {
  return reorder_lanes<8, order>(d, hn::LoadU(d, lanes_at<std::uint64_t>(square.source + k * square.source_stride)));
}

template <class D, class V>
HWY_INLINE void store_row(D d, V row, const Square& square, std::int64_t k) noexcept {
  hn::StoreU(row, d, lanes_at<std::uint64_t>(square.target + k * square.target_stride));
}

// Of 8 bytes.
template <ByteOrder order>
HWY_INLINE void transpose(const CopyElement<8, order>&, const Square& square) noexcept {
  const hn::FixedTag<std::uint64_t, square_bytes / 8> d;
  const auto r0 = row_of_8<order>(d, square, 0), r1 = row_of_8<order>(d, square, 1);
  const auto even_01 = hn::InterleaveLower(d, r0, r1), odd_01 = hn::InterleaveUpper(d, r0, r1);
  if constexpr (square_bytes == 16) {
    store_row(d, even_01, square, 0);
    store_row(d, odd_01, square, 1);
  } else {
    const auto r2 = row_of_8<order>(d, square, 2), r3 = row_of_8<order>(d, square, 3);
    const auto even_23 = hn::InterleaveLower(d, r2, r3), odd_23 = hn::InterleaveUpper(d, r2, r3);
    store_row(d, hn::ConcatLowerLower(d, even_23, even_01), square, 0);
    store_row(d, hn::ConcatLowerLower(d, odd_23, odd_01), square, 1);
    store_row(d, hn::ConcatUpperUpper(d, even_23, even_01), square, 2);
    store_row(d, hn::ConcatUpperUpper(d, odd_23, odd_01), square, 3);
  }
}

}  // namespace weir::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
