// SPDX-License-Identifier: Apache-2.0
#include "rearrange/byteswap.hpp"

#include <cstdint>
#include <cstring>

#include "rearrange/simd.hpp"

namespace weir {

namespace {

template <class Word, class Swap>
void turn_words(std::span<std::byte> bytes, Swap swap) noexcept {
  for (std::size_t i = 0; i + sizeof(Word) <= bytes.size(); i += sizeof(Word)) {
    Word word;
    std::memcpy(&word, bytes.data() + i, sizeof word);
    word = swap(word);
    std::memcpy(bytes.data() + i, &word, sizeof word);
  }
}

void turn_any(std::span<std::byte> bytes, int size) noexcept {
  if (size == 2) turn_words<std::uint16_t>(bytes, [](std::uint16_t word) { return __builtin_bswap16(word); });
  if (size == 4) turn_words<std::uint32_t>(bytes, [](std::uint32_t word) { return __builtin_bswap32(word); });
  if (size == 8) turn_words<std::uint64_t>(bytes, [](std::uint64_t word) { return __builtin_bswap64(word); });
}

}  // namespace

void byteswap_in_place(std::span<std::byte> elements, int element_bytes) noexcept {
  if (!simd::byteswap_in_place(elements, element_bytes)) turn_any(elements, element_bytes);
}

}  // namespace weir
