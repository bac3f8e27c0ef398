// SPDX-License-Identifier: Apache-2.0
// The kernels of the elements that models write most, by Highway (github.com/google/highway): bytes as they are or
// reversed, and double memory to float, with the widest vectors that the machine has; it is asked at run time. They
// equal portable.hpp. All functions are Local.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "rearrange/convert.hpp"
#include "rearrange/kernel.hpp"

namespace weir::simd {

enum class Work { none, copy_1, copy_2, copy_4, copy_8, swap_2, swap_4, swap_8, double_to_float, finite_to_float };

// Which kernel serves an Element.
template <class Element>
constexpr Work work_of = Work::none;

template <ByteOrder order>
constexpr Work work_of<CopyElement<1, order>> = Work::copy_1;
template <ByteOrder order>
constexpr Work work_of<CopyElement<2, order>> = order == ByteOrder::native ? Work::copy_2 : Work::swap_2;
template <ByteOrder order>
constexpr Work work_of<CopyElement<4, order>> = order == ByteOrder::native ? Work::copy_4 : Work::swap_4;
template <ByteOrder order>
constexpr Work work_of<CopyElement<8, order>> = order == ByteOrder::native ? Work::copy_8 : Work::swap_8;
template <>
inline constexpr Work work_of<ConvertElement<double, ByteOrder::native, float, ByteOrder::big>> = Work::double_to_float;
template <>
inline constexpr Work work_of<ConvertElement<double, ByteOrder::native, float, ByteOrder::big, Infinities::misfit>> =
    Work::finite_to_float;

// For this machine; without functions (nullptr) where there is none: Work::none, no Highway, a processor too old.
Kernel kernel(Work work, StoreHint store_hint) noexcept;

// The same for every instruction set that the build and this machine know, so that tests can hold them equal.
std::vector<Kernel> kernels(Work work, StoreHint store_hint);

// byteswap_in_place.hpp, of elements of 2, 4 or 8 bytes; false where there is none, and nothing is done.
bool byteswap_in_place(std::span<std::byte> elements, int element_bytes) noexcept;

}  // namespace weir::simd
