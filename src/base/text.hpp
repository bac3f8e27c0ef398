// SPDX-License-Identifier: Apache-2.0
// Text: words in messages, numbers with units, base64. Pure, Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

// Returns how many insertions, deletions, replacements and swaps of neighbours turn one word into the other (the
// optimal string alignment distance).
int edit_distance(std::string_view from, std::string_view to);

// Returns the known word nearest to `word`; nullopt if for each more than a third of the letters, and more than two,
// would have to change.
std::optional<std::string_view> nearest_word(std::string_view word, std::span<const std::string_view> known);

// Returns the text in double quotes, as messages show names.
std::string in_quotes(std::string_view text);

// Return "a, b, c", and "3, 5".
std::string join_words(std::span<const std::string_view> words);

std::string join_numbers(std::span<const int> numbers);

// Read numbers as people write them: whole numbers, sizes with units, durations. nullopt: not such a number, or one
// that int64 cannot hold.
std::string_view trimmed(std::string_view text) noexcept;

std::optional<std::int64_t> parse_whole(std::string_view text) noexcept;

// "67108864", "64MiB", "64 KiB" (powers of 1024), "64MB" (powers of 1000), in either case of letters.
std::optional<std::int64_t> parse_bytes(std::string_view text) noexcept;

// Plain seconds, or a number with ms, s, min or h. Finite.
std::optional<double> parse_seconds(std::string_view text);

// Returns the shortest text with a binary unit that parse_bytes() reads back as `bytes`: "64MiB", "1000".
std::string show_bytes(std::int64_t bytes);
std::string show_seconds(double seconds);

// Base64 (RFC 4648, section 4).
std::string to_base64(std::span<const std::byte> bytes);
// nullopt: the text is not base64.
std::optional<std::vector<std::byte>> from_base64(std::string_view text);

}  // namespace weir
