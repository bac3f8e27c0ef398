// SPDX-License-Identifier: Apache-2.0
#include "rearrange/kernel_table.hpp"

namespace weir {

RangeFailure encode(const CopyProgram& program, const void* source, Type memory_type, std::byte* target,
                    Type external_type, const ExternalValue& fill, StoreHint store_hint, Infinities infinities) noexcept {
  const Kernel kernel =
      kernel_between<ByteOrder::native, ByteOrder::big>(memory_type, external_type, infinities, store_hint);
  return execute(program, kernel, static_cast<const std::byte*>(source), target, fill);
}

}  // namespace weir
