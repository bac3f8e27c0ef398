// SPDX-License-Identifier: Apache-2.0
// Strings that a file holds, as Weir reads them: text of one length, the last of the variable's dimensions, which the
// longest string has; shorter ones end with zeros (docs/decisions/063-groups-as-names.md). Pure. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace weir {

constexpr std::int64_t most_text_bytes = 1 << 20;  // of a variable: all ranks have all of them in memory

// Why a variable is left out, in words that follow "but".
constexpr const char* strings_only_to_read =
    "its elements are strings, which Weir reads of a file that is opened to read only";
constexpr const char* strings_too_many = "its elements are strings, and more of them than 1 MiB of text holds";

struct FixedTexts {
  std::int64_t length = 1;            // of the longest, at least one
  std::vector<std::byte> characters;  // each of that length
};

// Of an array of these lengths, which a file may have made up; nullopt where they are more than `most`.
std::optional<std::int64_t> elements_up_to(std::span<const std::int64_t> lengths, std::int64_t most);
// nullopt where they are more than most_text_bytes.
std::optional<FixedTexts> fixed_texts(std::span<const std::string_view> texts);

}  // namespace weir
