// SPDX-License-Identifier: Apache-2.0
#include "rearrange/copy.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "rearrange/kernel_table.hpp"

namespace weir {

void fill_holes(const TilePlan& plan, std::byte* tile, const ExternalValue& fill, int element_bytes) noexcept {
  for (const Stretch& hole : plan.fills) fill_elements(tile + hole.at * element_bytes, hole.count, fill, element_bytes);
}

RangeFailure encode(const CopyProgram& program, const void* source, Type memory_type, std::byte* target,
                    Type external_type, const ExternalValue& fill, StoreHint store_hint,
                    Infinities infinities) noexcept {
  const Kernel kernel =
      kernel_between<ByteOrder::native, ByteOrder::big>(memory_type, external_type, infinities, store_hint);
  return execute(program, kernel, static_cast<const std::byte*>(source), target, fill);
}

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

// Copies bytes unchanged: pieces that are in external form already, and fill values.

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
