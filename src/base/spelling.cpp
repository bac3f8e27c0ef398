// SPDX-License-Identifier: Apache-2.0
#include "base/spelling.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace weir {

int edit_distance(std::string_view from, std::string_view to) {
  std::vector<int> before_last(to.size() + 1);
  std::vector<int> last(to.size() + 1);
  std::vector<int> row(to.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  for (std::size_t i = 1; i <= from.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const int replaced = last[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[to.size()];
}

std::optional<std::string_view> nearest_word(std::string_view word, std::span<const std::string_view> known) {
  std::optional<std::string_view> nearest;
  int smallest = std::max(2, static_cast<int>(word.size()) / 3) + 1;
  for (const auto candidate : known) {
    const int distance = edit_distance(word, candidate);
    if (distance >= smallest || distance >= static_cast<int>(std::max(word.size(), candidate.size()))) continue;
    smallest = distance;
    nearest = candidate;
  }
  return nearest;
}

std::string in_quotes(std::string_view text) {
  std::string quoted;
  quoted.reserve(text.size() + 2);
  quoted.append(1, '"').append(text).append(1, '"');
  return quoted;
}

std::string join_words(std::span<const std::string_view> words) {
  std::string text;
  for (const auto word : words) {
    if (!text.empty()) text += ", ";
    text += word;
  }
  return text;
}

std::string join_numbers(std::span<const int> numbers) {
  std::string text;
  for (const int number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

}  // namespace weir
