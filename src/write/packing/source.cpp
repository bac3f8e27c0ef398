// SPDX-License-Identifier: Apache-2.0
#include "write/packing/source.hpp"

#include <algorithm>
#include <bit>

#include "rearrange/byteswap.hpp"
#include "write/packing/quantize.hpp"

namespace weir {

Packer::Source packer_source(const Schema& schema, int var, const Stretch& stretch, std::byte* memory,
                             std::span<const FilterStep> filters) {
  constexpr bool little_endian = std::endian::native == std::endian::little;
  const Variable& variable = schema.variable(var);
  const int size = type_bytes(variable.type);
  Packer::Source source{memory, stretch.element, size, schema.fill_value(var), filters, little_endian};
  if (!variable.storage.quantization) return source;
  const std::span<std::byte> values(memory, static_cast<std::size_t>(stretch.count * size));
  if (little_endian) byteswap_in_place(values, size);
  quantize(*variable.storage.quantization, values, size, stretch.element, source.fill);
  if (little_endian) std::reverse(source.fill.begin(), source.fill.begin() + size);
  source.turned = false;
  return source;
}

}  // namespace weir
