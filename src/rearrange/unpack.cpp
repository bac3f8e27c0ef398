// SPDX-License-Identifier: Apache-2.0
// Copies bytes unchanged: pieces that are in external form already, and fill values.
#include <algorithm>
#include <cstring>

#include "rearrange/kernel_table.hpp"

namespace weir {
namespace {

template <std::size_t Bytes>
Kernel copy_kernel() noexcept {
  return kernel_of<CopyElement<Bytes, ByteOrder::native>>();
}

Kernel copy_kernel(int element_bytes) noexcept {
  switch (element_bytes) {
    case 1:
      return copy_kernel<1>();
    case 2:
      return copy_kernel<2>();
    case 4:
      return copy_kernel<4>();
    default:
      return copy_kernel<8>();
  }
}

}  // namespace

void unpack(const CopyProgram& program, const std::byte* source, std::byte* target, int element_bytes) noexcept {
  execute(program, copy_kernel(element_bytes), source, target, ExternalValue{});
}

void fill_elements(std::byte* target, std::int64_t count, const ExternalValue& value, int element_bytes) noexcept {
  if (count <= 0) return;
  const auto total_bytes = static_cast<std::size_t>(count) * static_cast<std::size_t>(element_bytes);
  // Doubled up to a stamp that stays in the first cache, then stamped.
  constexpr std::size_t stamp_bytes = 4096;
  std::size_t filled_bytes = static_cast<std::size_t>(element_bytes);
  std::memcpy(target, value.data(), filled_bytes);
  while (filled_bytes < total_bytes) {
    const std::size_t next_bytes = std::min({filled_bytes, stamp_bytes, total_bytes - filled_bytes});
    std::memcpy(target + filled_bytes, target, next_bytes);
    filled_bytes += next_bytes;
  }
}

}  // namespace weir
