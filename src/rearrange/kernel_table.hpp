// SPDX-License-Identifier: Apache-2.0
// Chooses the kernel for a pair of types on this machine: SIMD (rearrange/simd.hpp), else portable
// (rearrange/portable.hpp). Local.
#pragma once

#include <type_traits>

#include "rearrange/convert.hpp"
#include "rearrange/kernel.hpp"
#include "rearrange/portable.hpp"
#include "rearrange/simd.hpp"

namespace weir {

template <class Element>
Kernel kernel_of(StoreHint store_hint = StoreHint::cached) noexcept {
  if constexpr (simd::work_of<Element> != simd::Work::none) {
    if (const Kernel kernel = simd::kernel(simd::work_of<Element>, store_hint); kernel.copy_runs) return kernel;
  }
  return {Element::source_bytes, Element::target_bytes, portable::copy_plane<Element>, portable::copy_runs<Element>};
}

// The kernel from one type to another, each side in its byte order.
template <ByteOrder source_order, ByteOrder target_order>
Kernel kernel_between(Type source_type, Type target_type, Infinities infinities,
                      StoreHint store_hint = StoreHint::cached) noexcept {
  constexpr ByteOrder swap = source_order == target_order ? ByteOrder::native : ByteOrder::big;
  return with_type(source_type, [=]<class Source>(Source) {
    return with_type(target_type, [=]<class Target>(Target) {
      if constexpr (std::is_same_v<Source, Target> || std::is_same_v<Source, char> || std::is_same_v<Target, char>) {
        return kernel_of<CopyElement<sizeof(Source), swap>>(store_hint);
      } else if (std::is_floating_point_v<Source> && std::is_floating_point_v<Target> &&
                 infinities == Infinities::misfit) {
        return kernel_of<ConvertElement<Source, source_order, Target, target_order, Infinities::misfit>>(store_hint);
      } else {
        return kernel_of<ConvertElement<Source, source_order, Target, target_order>>(store_hint);
      }
    });
  });
}

}  // namespace weir
