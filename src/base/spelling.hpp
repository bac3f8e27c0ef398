// SPDX-License-Identifier: Apache-2.0
// Words in messages: quoted, listed, and the known word nearest to a misspelt one. Pure. Local.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace weir {

// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other (the optimal string
// alignment distance).
int edit_distance(std::string_view from, std::string_view to);

// The known word nearest to `word`; nullopt where none is near (more than a third of the letters, and more than two,
// would have to change).
std::optional<std::string_view> nearest_word(std::string_view word, std::span<const std::string_view> known);

// The text between double quotes, as messages show names.
std::string in_quotes(std::string_view text);

// "a, b, c".
std::string join_words(std::span<const std::string_view> words);

// "3, 5".
std::string join_numbers(std::span<const int> numbers);

}  // namespace weir
