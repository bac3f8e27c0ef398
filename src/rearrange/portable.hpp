// SPDX-License-Identifier: Apache-2.0
// The portable inner loops; simd.cpp must give the same results. Local; allocates and throws nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rearrange/convert.hpp"
#include "rearrange/kernel.hpp"

namespace weir::portable {

// A row of elements.
struct Row {
  const std::byte* source;
  std::byte* target;
  std::int64_t count;
};

// The rare second look at a row in which something did not fit.
template <class Element>
[[gnu::noinline, gnu::cold]] void note_misfits(const Row& row, std::int64_t source_stride, Misfits& misfits) noexcept {
  const Element element{ExternalValue{}};
  for (std::int64_t i = 0; i < row.count; ++i) {
    std::byte ignored[8];
    const std::byte* source = row.source + i * source_stride;
    if (!element(source, ignored)) misfits.add(source);
  }
}

// Strides in bytes. Called with constant strides where the elements are contiguous, so that the loop vectorises. True
// if everything fitted.
template <class Element>
[[gnu::always_inline]] inline bool copy_row(const Element& element, const Row& row, std::int64_t source_stride,
                                            std::int64_t target_stride) noexcept {
  const std::byte* __restrict source = row.source;
  std::byte* __restrict target = row.target;
  unsigned bad = 0;
  for (std::int64_t i = 0; i < row.count; ++i) {
    bad |= static_cast<unsigned>(!element(source + i * source_stride, target + i * target_stride));
  }
  return bad == 0;
}

template <class Element>
bool is_contiguous(const Loop& loop) noexcept {
  return loop.source_stride == Element::source_bytes && loop.target_stride == Element::target_bytes;
}

inline Row row_of(const Plane& plane, std::int64_t j) noexcept {
  return {plane.source + j * plane.outer.source_stride, plane.target + j * plane.outer.target_stride,
          plane.inner.count};
}

template <class Element>
void copy_plane(const Plane& plane, const ExternalValue& fill, Misfits& misfits) noexcept {
  const Element element(fill);
  const auto [count, source_stride, target_stride] = plane.inner;
  const bool contiguous = is_contiguous<Element>(plane.inner);
  for (std::int64_t j = 0; j < plane.outer.count; ++j) {
    const Row row = row_of(plane, j);
    const bool good = contiguous ? copy_row(element, row, Element::source_bytes, Element::target_bytes)
                                 : copy_row(element, row, source_stride, target_stride);
    if (Element::checked && !good) note_misfits<Element>(row, source_stride, misfits);
  }
}

template <class Element>
Row row_of(const Runs& program, const Run& run) noexcept {
  return {program.source + run.source * Element::source_bytes, program.target + run.target * Element::target_bytes,
          run.count};
}

// Irregular offset maps come as very many runs of one or a few elements: those must not pay for a vector loop.
template <class Element>
void copy_runs(const Runs& program, const ExternalValue& fill, Misfits& misfits) noexcept {
  const Element element(fill);
  for (const Run& run : program.runs) {
    const Row row = row_of<Element>(program, run);
    const bool good = row.count == 1 ? element(row.source, row.target)
                                     : copy_row(element, row, Element::source_bytes, Element::target_bytes);
    if (Element::checked && !good) note_misfits<Element>(row, Element::source_bytes, misfits);
  }
}

}  // namespace weir::portable
