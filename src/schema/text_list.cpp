// SPDX-License-Identifier: Apache-2.0
#include "schema/text_list.hpp"

#include <algorithm>
#include <cstring>

namespace weir {

std::optional<std::int64_t> elements_up_to(std::span<const std::int64_t> lengths, std::int64_t most) {
  std::int64_t product = 1;
  for (const std::int64_t length : lengths)
    if (__builtin_mul_overflow(product, length, &product) || product > most) return std::nullopt;
  return product;
}

std::optional<FixedTexts> fixed_texts(std::span<const std::string_view> texts) {
  FixedTexts fixed;
  for (const std::string_view text : texts) fixed.length = std::max(fixed.length, std::ssize(text));
  if (!texts.empty() && fixed.length > most_text_bytes / std::ssize(texts)) return std::nullopt;
  fixed.characters.resize(texts.size() * static_cast<std::size_t>(fixed.length));
  std::byte* at = fixed.characters.data();
  for (const std::string_view text : texts) {
    if (!text.empty()) std::memcpy(at, text.data(), text.size());
    at += fixed.length;
  }
  return fixed;
}

}  // namespace weir
