// SPDX-License-Identifier: Apache-2.0
// The rows and transposes of the elements that models write most, in AVX2: bytes as they are or reversed, and double
// memory to float. Compiled whatever the build's target is; called only where the machine has AVX2. All functions are
// Local; any alignment will do.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__)
#define WEIR_AVX2 [[gnu::target("avx2"), gnu::always_inline]] inline

#include <immintrin.h>

#include <array>
#include <cfloat>
#include <cstddef>
#include <cstdint>

#include "rearrange/convert.hpp"
#include "rearrange/kernel.hpp"
#include "rearrange/portable.hpp"

namespace weir::avx2 {

using portable::is_contiguous;
using portable::Row;
using portable::row_of;

constexpr std::int64_t vector_bytes = 32;

// For _mm256_shuffle_epi8, which works within 16 bytes: each group of Bytes reversed.
template <std::size_t Bytes>
constexpr std::array<std::uint8_t, vector_bytes> reversal = [] {
  std::array<std::uint8_t, vector_bytes> places{};
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<std::uint8_t>((i ^ (Bytes - 1)) % 16);
  return places;
}();

template <std::size_t Bytes, ByteOrder order>
WEIR_AVX2 __m256i reorder(__m256i bytes) noexcept {
  if constexpr (order == ByteOrder::native || Bytes == 1) return bytes;
  const auto* places = reinterpret_cast<const __m256i*>(reversal<Bytes>.data());
  return _mm256_shuffle_epi8(bytes, _mm256_loadu_si256(places));
}

WEIR_AVX2 __m256i load_vector(const std::byte* from) noexcept {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

WEIR_AVX2 void store_vector(std::byte* to, __m256i bytes) noexcept {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), bytes);
}

// What AVX2 does for an Element: `count` contiguous elements at once, and square transposes.
template <class Element>
struct Vectors {
  static constexpr bool exist = false;
  static constexpr bool transpose_exists = false;
};

template <std::size_t Bytes, ByteOrder order>
struct Vectors<CopyElement<Bytes, order>> {
  static constexpr bool exist = true;
  static constexpr bool transpose_exists = Bytes >= 4;
  static constexpr std::int64_t count = vector_bytes / static_cast<std::int64_t>(Bytes);

  WEIR_AVX2 static bool copy(const CopyElement<Bytes, order>&, const std::byte* source, std::byte* target) noexcept {
    store_vector(target, reorder<Bytes, order>(load_vector(source)));
    return true;
  }

  WEIR_AVX2 static void copy_half(const std::byte* source, std::byte* target) noexcept {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(source));
    const __m256i reordered = reorder<Bytes, order>(_mm256_castsi128_si256(bytes));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(target), _mm256_castsi256_si128(reordered));
  }
};

template <>
struct Vectors<ConvertElement<double, ByteOrder::native, float, ByteOrder::big>> {
  static constexpr bool exist = true;
  static constexpr bool transpose_exists = false;
  static constexpr std::int64_t count = vector_bytes / sizeof(float);
  using Element = ConvertElement<double, ByteOrder::native, float, ByteOrder::big>;

  WEIR_AVX2 static __m256d too_large(__m256d values) noexcept {
    const __m256d magnitudes = _mm256_andnot_pd(_mm256_set1_pd(-0.0), values);
    return _mm256_cmp_pd(magnitudes, _mm256_set1_pd(FLT_MAX), _CMP_GT_OQ);  // false for NaN
  }

  WEIR_AVX2 static bool copy(const Element& element, const std::byte* source, std::byte* target) noexcept {
    const __m256d low = _mm256_castsi256_pd(load_vector(source));
    const __m256d high = _mm256_castsi256_pd(load_vector(source + vector_bytes));
    if (_mm256_movemask_pd(_mm256_or_pd(too_large(low), too_large(high))) != 0) [[unlikely]] {
      for (std::int64_t i = 0; i < count; ++i) element(source + 8 * i, target + 4 * i);
      return false;
    }
    const __m256 values = _mm256_set_m128(_mm256_cvtpd_ps(high), _mm256_cvtpd_ps(low));
    store_vector(target, reorder<4, ByteOrder::big>(_mm256_castps_si256(values)));
    return true;
  }
};

// Rows shorter than a vector: two overlapping halves where there is half a vector, else element by element.
template <class Element>
WEIR_AVX2 bool copy_short(const Element& element, const Row& row) noexcept {
  if constexpr (!Element::checked) {
    constexpr std::int64_t half = Vectors<Element>::count / 2;
    if (row.count >= half) {
      const std::int64_t last = row.count - half;
      Vectors<Element>::copy_half(row.source, row.target);
      Vectors<Element>::copy_half(row.source + last * Element::source_bytes, row.target + last * Element::target_bytes);
      return true;
    }
  }
  unsigned bad = 0;
#pragma GCC unroll 1
  for (std::int64_t i = 0; i < row.count; ++i) {
    bad |= !element(row.source + i * Element::source_bytes, row.target + i * Element::target_bytes);
  }
  return bad == 0;
}

// A row that is contiguous on both sides. The first vector reaches past the target's alignment, the last one ends with
// the row, and both may overlap a neighbour. True if everything fitted.
template <class Element>
WEIR_AVX2 bool copy_row(const Element& element, const Row& row) noexcept {
  using Vector = Vectors<Element>;
  if (row.count < Vector::count) return copy_short(element, row);
  bool good = Vector::copy(element, row.source, row.target);
  const auto past = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(row.target) % vector_bytes);
  std::int64_t i = (vector_bytes - past) / Element::target_bytes;
  for (; i <= row.count - Vector::count; i += Vector::count) {
    good &= Vector::copy(element, row.source + i * Element::source_bytes, row.target + i * Element::target_bytes);
  }
  if (i < row.count) {
    i = row.count - Vector::count;
    good &= Vector::copy(element, row.source + i * Element::source_bytes, row.target + i * Element::target_bytes);
  }
  return good;
}

// A square of vectors: row k of the target gets element k of each row of the source. Strides in bytes.
template <ByteOrder order>
WEIR_AVX2 void transpose(const CopyElement<8, order>&, const std::byte* source, std::int64_t source_stride,
                         std::byte* target, std::int64_t target_stride) noexcept {
  __m256i row[4];
  for (int k = 0; k < 4; ++k) row[k] = reorder<8, order>(load_vector(source + k * source_stride));
  const __m256i even_low = _mm256_unpacklo_epi64(row[0], row[1]), odd_low = _mm256_unpackhi_epi64(row[0], row[1]);
  const __m256i even_high = _mm256_unpacklo_epi64(row[2], row[3]), odd_high = _mm256_unpackhi_epi64(row[2], row[3]);
  store_vector(target, _mm256_permute2x128_si256(even_low, even_high, 0x20));
  store_vector(target + target_stride, _mm256_permute2x128_si256(odd_low, odd_high, 0x20));
  store_vector(target + 2 * target_stride, _mm256_permute2x128_si256(even_low, even_high, 0x31));
  store_vector(target + 3 * target_stride, _mm256_permute2x128_si256(odd_low, odd_high, 0x31));
}

// The same for 4 bytes: pairs of rows, then pairs of pairs; rows k and k + 4 of the source share a vector's halves.
template <ByteOrder order>
WEIR_AVX2 void transpose(const CopyElement<4, order>&, const std::byte* source, std::int64_t source_stride,
                         std::byte* target, std::int64_t target_stride) noexcept {
  for (int half = 0; half < 2; ++half) {
    __m256i row[4];
    for (int k = 0; k < 4; ++k) {
      const auto* near = reinterpret_cast<const __m128i*>(source + k * source_stride + 16 * half);
      const auto* far = reinterpret_cast<const __m128i*>(source + (k + 4) * source_stride + 16 * half);
      row[k] = reorder<4, order>(_mm256_set_m128i(_mm_loadu_si128(far), _mm_loadu_si128(near)));
    }
    const __m256i low_01 = _mm256_unpacklo_epi32(row[0], row[1]), high_01 = _mm256_unpackhi_epi32(row[0], row[1]);
    const __m256i low_23 = _mm256_unpacklo_epi32(row[2], row[3]), high_23 = _mm256_unpackhi_epi32(row[2], row[3]);
    std::byte* to = target + 4 * half * target_stride;
    store_vector(to, _mm256_unpacklo_epi64(low_01, low_23));
    store_vector(to + target_stride, _mm256_unpackhi_epi64(low_01, low_23));
    store_vector(to + 2 * target_stride, _mm256_unpacklo_epi64(high_01, high_23));
    store_vector(to + 3 * target_stride, _mm256_unpackhi_epi64(high_01, high_23));
  }
}

// An index swap: runs along the target inside, along the source outside. Squares first, then the edges.
template <class Element>
WEIR_AVX2 void copy_swapped(const Element& element, const Plane& plane) noexcept {
  constexpr std::int64_t edge = Vectors<Element>::count;
  const std::int64_t inner_end = plane.inner.count / edge * edge, outer_end = plane.outer.count / edge * edge;
  for (std::int64_t j = 0; j < outer_end; j += edge) {
    for (std::int64_t i = 0; i < inner_end; i += edge) {
      const Row corner = row_of(plane, j);
      transpose(element, corner.source + i * plane.inner.source_stride, plane.inner.source_stride,
                corner.target + i * Element::target_bytes, plane.outer.target_stride);
    }
  }
  for (std::int64_t j = 0; j < plane.outer.count; ++j) {
    const Row row = row_of(plane, j);
    const std::int64_t done = j < outer_end ? inner_end : 0;
    const Row rest{row.source + done * plane.inner.source_stride, row.target + done * Element::target_bytes,
                   row.count - done};
    portable::copy_row(element, rest, plane.inner.source_stride, Element::target_bytes);
  }
}

template <class Element>
[[gnu::target("avx2")]] void copy_plane(const Plane& plane, const ExternalValue& fill, Misfits& misfits) noexcept {
  const Element element(fill);
  if constexpr (Vectors<Element>::transpose_exists) {
    if (plane.inner.target_stride == Element::target_bytes && plane.outer.source_stride == Element::source_bytes) {
      return copy_swapped(element, plane);
    }
  }
  if (!is_contiguous<Element>(plane.inner)) return portable::copy_plane<Element>(plane, fill, misfits);
  for (std::int64_t j = 0; j < plane.outer.count; ++j) {
    const Row row = row_of(plane, j);
    const bool good = copy_row(element, row);
    if (Element::checked && !good) portable::note_misfits<Element>(row, Element::source_bytes, misfits);
  }
}

template <class Element>
[[gnu::target("avx2")]] void copy_runs(const Runs& program, const ExternalValue& fill, Misfits& misfits) noexcept {
  const Element element(fill);
  for (const Run& run : program.runs) {
    const Row row = row_of<Element>(program, run);
    const bool good = row.count == 1 ? element(row.source, row.target) : copy_row(element, row);
    if (Element::checked && !good) portable::note_misfits<Element>(row, Element::source_bytes, misfits);
  }
}

}  // namespace weir::avx2

#endif
