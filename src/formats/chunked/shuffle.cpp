// SPDX-License-Identifier: Apache-2.0
#include "formats/chunked/shuffle.hpp"

#include <algorithm>

namespace weir {

namespace {

// All first bytes of this machine's elements, then all second ones, ...; then the bytes that make no element. `turned`:
// each element is in the other byte order.
template <int size>
void shuffle_elements(std::span<const std::byte> from, std::byte* to, bool turned) {
  constexpr std::size_t block = 2048;  // stays in the nearest cache while each of its bytes is taken
  const std::size_t count = from.size() / size;
  for (std::size_t first = 0; first < count; first += block) {
    const std::size_t last = std::min(count, first + block);
    for (int byte = 0; byte < size; ++byte) {
      const auto source = static_cast<std::size_t>(turned ? size - 1 - byte : byte);
      std::byte* const plane = to + static_cast<std::size_t>(byte) * count;
      for (std::size_t i = first; i < last; ++i) plane[i] = from[i * size + source];
    }
  }
  std::copy(from.begin() + static_cast<std::ptrdiff_t>(count * size), from.end(), to + count * size);
}

}  // namespace

void shuffle(std::span<const std::byte> from, int element_bytes, bool turned, std::byte* to) {
  if (element_bytes == 2) return shuffle_elements<2>(from, to, turned);
  if (element_bytes == 4) return shuffle_elements<4>(from, to, turned);
  if (element_bytes == 8) return shuffle_elements<8>(from, to, turned);
  std::copy(from.begin(), from.end(), to);
}

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
