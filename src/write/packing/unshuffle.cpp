// SPDX-License-Identifier: Apache-2.0
#include "write/packing/unshuffle.hpp"

#include <algorithm>

namespace weir {

namespace {

template <std::size_t size>
void join_planes(std::span<const std::byte> from, std::byte* to, bool turned) {
  const std::size_t count = from.size() / size;
  const std::byte* planes[size];
  for (std::size_t byte = 0; byte < size; ++byte)
    planes[byte] = from.data() + (turned ? size - 1 - byte : byte) * count;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t byte = 0; byte < size; ++byte) to[i * size + byte] = planes[byte][i];
  std::copy(from.begin() + static_cast<std::ptrdiff_t>(count * size), from.end(), to + count * size);
}

// Elements of any other length.
void join_planes(std::span<const std::byte> from, std::byte* to, std::size_t size) {
  const std::size_t count = from.size() / size;
  for (std::size_t byte = 0; byte < size; ++byte)
    for (std::size_t i = 0; i < count; ++i) to[i * size + byte] = from[byte * count + i];
  std::copy(from.begin() + static_cast<std::ptrdiff_t>(count * size), from.end(), to + count * size);
}

}  // namespace

bool unshuffle(std::span<const std::byte> from, std::byte* to, std::size_t element_bytes, bool turned) {
  if (element_bytes == 2) return join_planes<2>(from, to, turned), turned;
  if (element_bytes == 4) return join_planes<4>(from, to, turned), turned;
  if (element_bytes == 8) return join_planes<8>(from, to, turned), turned;
  return join_planes(from, to, std::max<std::size_t>(1, element_bytes)), false;
}

}  // namespace weir
