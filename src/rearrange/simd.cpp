// SPDX-License-Identifier: Apache-2.0
// The inner loops by vectors, compiled once for every instruction set that Highway knows of this kind of processor.
#include "rearrange/simd.hpp"

#ifdef WEIR_HIGHWAY
// Vectors of a line's size bring nothing here: rows of a model with a halo lie at any place, so each would be in two
// lines. Highway numbers what is better than AVX2 by the bits below it.
#define HWY_DISABLED_TARGETS (HWY_AVX2 - 1)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rearrange/simd.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "rearrange/portable.hpp"
#include "rearrange/simd_vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace weir::simd::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR
// A processor without vectors of bytes: the plain loops.
Kernel kernel_here(Work, StoreHint) {
  return {};
}

bool byteswap_here(std::span<std::byte>, int) {
  return false;
}
#else

using portable::is_contiguous;
using portable::Row;
using portable::row_of;

// Rows of fewer bytes are not streamed: what is streamed begins and ends with a part of a line that is not, and short
// rows then cost more than the line that need not be read (docs/results/copy.md).
constexpr std::int64_t least_streamed_bytes = 1024;
constexpr std::size_t most_vector_bytes = 32;

// A vector of element i of a row.
template <StoreHint store_hint, class Element, class D, class Misfit>
HWY_INLINE void copy_vector(D d, const Row& row, std::int64_t i, Misfit& misfits) noexcept {
  Vectors<Element>::template copy<store_hint>(d, row.source + i * Element::source_bytes,
                                              row.target + i * Element::target_bytes, misfits);
}

// Rows shorter than a vector of D: two overlapping ones of half the lanes, or of a quarter, down to 8 bytes; then
// element by element.
template <class Element, class D>
HWY_INLINE bool copy_short(const Element& element, D, const Row& row) noexcept {
  if constexpr (!Element::checked && hn::MaxLanes(D()) * Element::target_bytes > 8) {
    const hn::Half<D> half;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(half));
    if (row.count < lanes) return copy_short(element, half, row);
    bool misfits = false;
    copy_vector<StoreHint::cached, Element>(half, row, 0, misfits);
    copy_vector<StoreHint::cached, Element>(half, row, row.count - lanes, misfits);
    return true;
  }
  unsigned bad = 0;
#pragma GCC unroll 1
  for (std::int64_t i = 0; i < row.count; ++i)
    bad |= !element(row.source + i * Element::source_bytes, row.target + i * Element::target_bytes);
  return bad == 0;
}

// Vectors from element i on, as many as there are whole ones; returns where they end.
template <StoreHint store_hint, class Element, class D, class Misfit>
HWY_INLINE std::int64_t copy_vectors(D d, const Row& row, std::int64_t i, Misfit& misfits) noexcept {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (; !Element::checked && i <= row.count - 4 * lanes; i += 4 * lanes) {
    copy_vector<store_hint, Element>(d, row, i, misfits);
    copy_vector<store_hint, Element>(d, row, i + lanes, misfits);
    copy_vector<store_hint, Element>(d, row, i + 2 * lanes, misfits);
    copy_vector<store_hint, Element>(d, row, i + 3 * lanes, misfits);
  }
  for (; i <= row.count - lanes; i += lanes) copy_vector<store_hint, Element>(d, row, i, misfits);
  return i;
}

// A row that is contiguous on both sides. The first vector reaches past the target's alignment, the last one ends with
// the row, and both may overlap a neighbour. True if everything fitted.
template <StoreHint store_hint, class Element>
HWY_INLINE bool copy_row(const Element& element, const Row& row) noexcept {
  using Vector = Vectors<Element>;
  const hn::CappedTag<typename Vector::Lane, most_vector_bytes / sizeof(typename Vector::Lane)> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d)), vector_bytes = lanes * Element::target_bytes;
  if (row.count < lanes) return copy_short(element, d, row);
  auto misfits = Vector::none(d);
  copy_vector<StoreHint::cached, Element>(d, row, 0, misfits);
  const auto past = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(row.target)) & (vector_bytes - 1);
  std::int64_t i = (vector_bytes - past) / Element::target_bytes;
  // What does not lie at a multiple of its own size is never at one of a vector's.
  if (store_hint == StoreHint::streaming && row.count * Element::target_bytes >= least_streamed_bytes &&
      past % Element::target_bytes == 0)
    i = copy_vectors<store_hint, Element>(d, row, i, misfits);
  else
    i = copy_vectors<StoreHint::cached, Element>(d, row, i, misfits);
  if (i < row.count) copy_vector<StoreHint::cached, Element>(d, row, row.count - lanes, misfits);
  if (!Vector::misfit(d, misfits)) return true;
  return portable::copy_row(element, row, Element::source_bytes, Element::target_bytes);
}

// An index swap: runs along the target inside, along the source outside. Squares first, then the edges.
template <class Element>
HWY_INLINE void copy_swapped(const Element& element, const Plane& plane) noexcept {
  constexpr std::int64_t edge = square_edge<Element::target_bytes>;
  const std::int64_t inner_end = plane.inner.count / edge * edge, outer_end = plane.outer.count / edge * edge;
  for (std::int64_t j = 0; j < outer_end; j += edge) {
    const Row row = row_of(plane, j);
    for (std::int64_t i = 0; i < inner_end; i += edge)
      transpose(element, {row.source + i * plane.inner.source_stride, plane.inner.source_stride,
                          row.target + i * Element::target_bytes, plane.outer.target_stride});
  }
  for (std::int64_t j = 0; j < plane.outer.count; ++j) {
    const Row row = row_of(plane, j);
    const std::int64_t done = j < outer_end ? inner_end : 0;
    const Row rest{row.source + done * plane.inner.source_stride, row.target + done * Element::target_bytes,
                   row.count - done};
    portable::copy_row(element, rest, plane.inner.source_stride, Element::target_bytes);
  }
}

template <class Element, StoreHint store_hint>
void copy_plane(const Plane& plane, const ExternalValue& fill, Misfits& misfits) noexcept {
  const Element element(fill);
  if constexpr (!Element::checked && Element::target_bytes >= 4) {
    if (plane.inner.target_stride == Element::target_bytes && plane.outer.source_stride == Element::source_bytes)
      return copy_swapped(element, plane);
  }
  if (!is_contiguous<Element>(plane.inner)) return portable::copy_plane<Element>(plane, fill, misfits);
  for (std::int64_t j = 0; j < plane.outer.count; ++j) {
    const Row row = row_of(plane, j);
    const bool good = copy_row<store_hint>(element, row);
    if (Element::checked && !good) portable::note_misfits<Element>(row, Element::source_bytes, misfits);
  }
}

template <class Element, StoreHint store_hint>
void copy_runs(const Runs& program, const ExternalValue& fill, Misfits& misfits) noexcept {
  const Element element(fill);
  for (const Run& run : program.runs) {
    const Row row = row_of<Element>(program, run);
    const bool good = row.count == 1 ? element(row.source, row.target) : copy_row<store_hint>(element, row);
    if (Element::checked && !good) portable::note_misfits<Element>(row, Element::source_bytes, misfits);
  }
}

void order_stores() noexcept {
  hwy::FlushStream();
}

template <class Element>
Kernel kernel_for(StoreHint store_hint) noexcept {
  if (store_hint == StoreHint::streaming)
    return {Element::source_bytes, Element::target_bytes, copy_plane<Element, StoreHint::streaming>,
            copy_runs<Element, StoreHint::streaming>, order_stores};
  return {Element::source_bytes, Element::target_bytes, copy_plane<Element, StoreHint::cached>,
          copy_runs<Element, StoreHint::cached>};
}

Kernel kernel_here(Work work, StoreHint store_hint) {
  switch (work) {
    case Work::copy_1:
      return kernel_for<CopyElement<1, ByteOrder::native> >(store_hint);
    case Work::copy_2:
      return kernel_for<CopyElement<2, ByteOrder::native> >(store_hint);
    case Work::copy_4:
      return kernel_for<CopyElement<4, ByteOrder::native> >(store_hint);
    case Work::copy_8:
      return kernel_for<CopyElement<8, ByteOrder::native> >(store_hint);
    case Work::swap_2:
      return kernel_for<CopyElement<2, ByteOrder::big> >(store_hint);
    case Work::swap_4:
      return kernel_for<CopyElement<4, ByteOrder::big> >(store_hint);
    case Work::swap_8:
      return kernel_for<CopyElement<8, ByteOrder::big> >(store_hint);
    case Work::double_to_float:
      return kernel_for<ConvertElement<double, ByteOrder::native, float, ByteOrder::big> >(store_hint);
    case Work::finite_to_float:
      return kernel_for<ConvertElement<double, ByteOrder::native, float, ByteOrder::big, Infinities::misfit> >(
          store_hint);
    case Work::none:
      break;
  }
  return {};
}

template <class Word>
HWY_INLINE void turn_words(std::span<std::byte> bytes) noexcept {
  const hn::ScalableTag<Word> d;
  const CopyElement<sizeof(Word), ByteOrder::big> element{ExternalValue{}};
  const std::size_t vector_bytes = hn::Lanes(d) * sizeof(Word);
  bool misfits = false;
  std::size_t at = 0;
  for (; at + vector_bytes <= bytes.size(); at += vector_bytes)
    Vectors<CopyElement<sizeof(Word), ByteOrder::big> >::template copy<StoreHint::cached>(d, bytes.data() + at,
                                                                                          bytes.data() + at, misfits);
  for (; at + sizeof(Word) <= bytes.size(); at += sizeof(Word)) element(bytes.data() + at, bytes.data() + at);
}

bool byteswap_here(std::span<std::byte> elements, int element_bytes) {
  if (element_bytes == 2) turn_words<std::uint16_t>(elements);
  if (element_bytes == 4) turn_words<std::uint32_t>(elements);
  if (element_bytes == 8) turn_words<std::uint64_t>(elements);
  return true;
}

#endif

}  // namespace weir::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weir::simd {

HWY_EXPORT(kernel_here);
HWY_EXPORT(byteswap_here);

Kernel kernel(Work work, StoreHint store_hint) noexcept {
  return HWY_DYNAMIC_DISPATCH(kernel_here)(work, store_hint);
}

std::vector<Kernel> kernels(Work work, StoreHint store_hint) {
  std::vector<Kernel> all;
  for (std::int64_t left = hwy::SupportedTargets() & HWY_TARGETS; left != 0; left &= left - 1) {
    hwy::ChosenTarget chosen;
    chosen.Update(left & -left);
    const Kernel kernel = HWY_DISPATCH_TABLE(kernel_here)[chosen.GetIndex()](work, store_hint);
    if (kernel.copy_runs) all.push_back(kernel);
  }
  return all;
}

bool byteswap_in_place(std::span<std::byte> elements, int element_bytes) noexcept {
  return HWY_DYNAMIC_DISPATCH(byteswap_here)(elements, element_bytes);
}

}  // namespace weir::simd
#endif

#else
namespace weir::simd {

Kernel kernel(Work, StoreHint) noexcept {
  return {};
}

std::vector<Kernel> kernels(Work, StoreHint) {
  return {};
}

bool byteswap_in_place(std::span<std::byte>, int) noexcept {
  return false;
}

}  // namespace weir::simd
#endif
