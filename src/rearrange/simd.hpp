// SPDX-License-Identifier: Apache-2.0
// The SIMD kernels for the elements that models write most, by Highway (github.com/google/highway): bytes as they are
// or reversed, and double memory to float. They use the widest vectors of the machine, found at run time, and give the
// same results as portable.hpp. Local.
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

// Returns the kernel for this machine; without functions (nullptr) for Work::none, without Highway, or on an old
// processor.
Kernel kernel(Work work, StoreHint store_hint) noexcept;

// Returns the kernels of every instruction set that the build and this machine know, so that tests can compare them.
std::vector<Kernel> kernels(Work work, StoreHint store_hint);

// Swaps elements of 2, 4 or 8 bytes, as byteswap.hpp; returns false, and does nothing, if there is no kernel.
bool byteswap_in_place(std::span<std::byte> elements, int element_bytes) noexcept;

}  // namespace weir::simd
