// SPDX-License-Identifier: Apache-2.0
// From types to kernels: which loops serve a pair of types on this machine. Local.
#pragma once

#include <type_traits>

#include "rearrange/avx2.hpp"
#include "rearrange/convert.hpp"
#include "rearrange/kernel.hpp"
#include "rearrange/portable.hpp"

namespace weir {

template <class Element>
Kernel kernel_of() noexcept {
#ifdef WEIR_AVX2
  if constexpr (avx2::Vectors<Element>::exist) {
    if (__builtin_cpu_supports("avx2")) {
      return {Element::source_bytes, Element::target_bytes, avx2::copy_plane<Element>, avx2::copy_runs<Element>};
    }
  }
#endif
  return {Element::source_bytes, Element::target_bytes, portable::copy_plane<Element>, portable::copy_runs<Element>};
}

// The kernel from one type to another, each side in its byte order.
template <ByteOrder source_order, ByteOrder target_order>
Kernel kernel_between(Type source_type, Type target_type) noexcept {
  constexpr ByteOrder swap = source_order == target_order ? ByteOrder::native : ByteOrder::big;
  return with_type(source_type, [target_type]<class Source>(Source) {
    return with_type(target_type, []<class Target>(Target) {
      if constexpr (std::is_same_v<Source, Target> || std::is_same_v<Source, char> || std::is_same_v<Target, char>) {
        return kernel_of<CopyElement<sizeof(Source), swap>>();
      } else {
        return kernel_of<ConvertElement<Source, source_order, Target, target_order>>();
      }
    });
  });
}

}  // namespace weir
