// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "rearrange/kernel_table.hpp"

namespace weir {
namespace {

// The memory type's default fill value in native order.
ExternalValue native_fill(Type memory_type) noexcept {
  ExternalValue value = default_fill(memory_type);
  if constexpr (std::endian::native == std::endian::little) {
    std::reverse(value.begin(), value.begin() + type_bytes(memory_type));
  }
  return value;
}

}  // namespace

RangeFailure decode(const CopyProgram& program, const std::byte* source, Type external_type, void* target,
                    Type memory_type, Infinities infinities) noexcept {
  const Kernel kernel = kernel_between<ByteOrder::big, ByteOrder::native>(external_type, memory_type, infinities);
  return execute(program, kernel, source, static_cast<std::byte*>(target), native_fill(memory_type));
}

}  // namespace weir
