// SPDX-License-Identifier: Apache-2.0
// Text: sentences, words in messages, numbers with units, base64. Pure, Local.
#pragma once

#if __has_include(<fmt/base.h>)
#include <fmt/base.h>
#else
#include <fmt/core.h>
#endif

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace weir {

// Sentences. Only text.cpp compiles what formats: other files read no more of fmt than how a literal is checked, and no
// library exports fmt's names or needs them of a libfmt that the program has.

// A literal with a place, {}, for each argument; a brace of the text itself is doubled. The compiler checks that they
// match.
template <class... T>
struct Literal {
  template <std::size_t bytes>
  consteval Literal(const char (&literal)[bytes]) : text(literal, bytes - 1) {
    static_cast<void>(fmt::format_string<T...>(literal));
  }

  fmt::string_view text;
};

std::string format_text(fmt::string_view literal, fmt::format_args arguments);

// Returns the literal with its arguments in their places.
template <class... T>
std::string formatted(Literal<std::type_identity_t<T>...> literal, T&&... arguments) {
  return format_text(literal.text, fmt::make_format_args(arguments...));
}

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

// Finite.
std::optional<double> parse_number(std::string_view text) noexcept;

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
