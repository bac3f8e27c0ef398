// SPDX-License-Identifier: Apache-2.0
// Texts as values: the strings of an attribute, and strings of one length. Pure, Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace weir {

// Returns the values of an attribute of type WEIR_STRING: its strings one after another, each with a zero byte at its
// end. nullptr counts as an empty string.
inline std::vector<std::byte> join_texts(std::span<const char* const> texts) {
  std::vector<std::byte> values;
  for (const char* const text : texts) {
    const char* const given = text ? text : "";
    const auto* const bytes = reinterpret_cast<const std::byte*>(given);
    values.insert(values.end(), bytes, bytes + std::strlen(given) + 1);
  }
  return values;
}

// Returns the strings in `values`.
inline std::vector<const char*> texts_in(std::span<const std::byte> values) {
  std::vector<const char*> texts;
  for (std::size_t at = 0; at < values.size(); at += std::strlen(texts.back()) + 1)
    texts.push_back(reinterpret_cast<const char*>(values.data() + at));
  return texts;
}

// Returns how many bytes `count` strings at `values` have.
inline std::size_t text_bytes(const void* values, std::size_t count) {
  const auto* at = static_cast<const char*>(values);
  const char* const begin = at;
  for (; count > 0; --count) at += std::strlen(at) + 1;
  return static_cast<std::size_t>(at - begin);
}

constexpr std::int64_t most_text_bytes = 1 << 20;  // of a variable: all ranks have all of them in memory

// Why a variable is left out, in words that follow "but".
constexpr const char* strings_only_to_read =
    "its elements are strings, which Weir reads of a file that is opened to read only";
constexpr const char* strings_too_many = "its elements are strings, and more of them than 1 MiB of text holds";

// The strings of a file as Weir reads them: text of one length, that of the longest string, which is the variable's
// last dimension; shorter strings end with zeros (docs/decisions/063-groups-as-names.md).
struct FixedTexts {
  std::int64_t length = 1;            // of the longest string, at least one
  std::vector<std::byte> characters;  // of all strings, each of that length
};

// Returns the number of elements of an array of these lengths, which a damaged file may have; nullopt if they are more
// than `most`.
std::optional<std::int64_t> elements_up_to(std::span<const std::int64_t> lengths, std::int64_t most);
// Returns the strings; nullopt if they have more than most_text_bytes.
std::optional<FixedTexts> fixed_texts(std::span<const std::string_view> texts);

}  // namespace weir
