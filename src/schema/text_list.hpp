// SPDX-License-Identifier: Apache-2.0
// The strings of an attribute of type WEIR_STRING as its values hold them: one after the other, each terminated by a
// zero byte. Pure. Local.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace weir {

// nullptr is an empty text.
inline std::vector<std::byte> join_texts(std::span<const char* const> texts) {
  std::vector<std::byte> values;
  for (const char* const text : texts) {
    const char* const given = text ? text : "";
    const auto* const bytes = reinterpret_cast<const std::byte*>(given);
    values.insert(values.end(), bytes, bytes + std::strlen(given) + 1);
  }
  return values;
}

// Where each text begins in `values`.
inline std::vector<const char*> texts_in(std::span<const std::byte> values) {
  std::vector<const char*> texts;
  for (std::size_t at = 0; at < values.size(); at += std::strlen(texts.back()) + 1)
    texts.push_back(reinterpret_cast<const char*>(values.data() + at));
  return texts;
}

// How many bytes `count` texts at `values` take.
inline std::size_t text_bytes(const void* values, std::size_t count) {
  const auto* at = static_cast<const char*>(values);
  const char* const begin = at;
  for (; count > 0; --count) at += std::strlen(at) + 1;
  return static_cast<std::size_t>(at - begin);
}

}  // namespace weir
