// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"

// fmt's code is compiled here: no libfmt is linked.
#define FMT_HEADER_ONLY
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace weir {

std::string format_text(fmt::string_view literal, fmt::format_args arguments) {
  return fmt::vformat(literal, arguments);
}

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

namespace {

constexpr std::array<std::pair<std::string_view, std::int64_t>, 9> byte_units{{{"tib", 1LL << 40},
                                                                               {"gib", 1LL << 30},
                                                                               {"mib", 1LL << 20},
                                                                               {"kib", 1LL << 10},
                                                                               {"tb", 1'000'000'000'000},
                                                                               {"gb", 1'000'000'000},
                                                                               {"mb", 1'000'000},
                                                                               {"kb", 1'000},
                                                                               {"b", 1}}};
constexpr std::array<std::pair<std::string_view, double>, 4> time_units{
    {{"min", 60.0}, {"ms", 0.001}, {"h", 3600.0}, {"s", 1.0}}};

std::string lowered(std::string_view text) {
  std::string result(text);
  for (char& letter : result)
    letter = (letter >= 'A' && letter <= 'Z') ? static_cast<char>(letter - 'A' + 'a') : letter;
  return result;
}

// The number in front of a unit, and what one of the unit is; the unit 1 where there is none.
template <class Factor, std::size_t n>
std::pair<std::string_view, Factor> split_unit(std::string_view text,
                                               const std::array<std::pair<std::string_view, Factor>, n>& units) {
  for (const auto& [unit, factor] : units) {
    if (text.ends_with(unit)) return {trimmed(text.substr(0, text.size() - unit.size())), factor};
  }
  return {text, Factor{1}};
}

}  // namespace

std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view blanks = " \t\r\n";
  const auto begin = text.find_first_not_of(blanks);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::optional<std::int64_t> parse_whole(std::string_view text) noexcept {
  const auto digits = trimmed(text);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_number(std::string_view text) noexcept {
  const auto digits = trimmed(text);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_bytes(std::string_view text) noexcept {
  const std::string lower = lowered(trimmed(text));
  const auto [digits, factor] = split_unit(std::string_view(lower), byte_units);
  const auto count = parse_whole(digits);
  std::int64_t bytes = 0;
  if (!count || __builtin_mul_overflow(*count, factor, &bytes)) return std::nullopt;
  return bytes;
}

std::optional<double> parse_seconds(std::string_view text) {
  const std::string lower = lowered(trimmed(text));
  const auto [digits, factor] = split_unit(std::string_view(lower), time_units);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.empty()) return std::nullopt;
  const double seconds = value * factor;
  return std::isfinite(seconds) ? std::optional(seconds) : std::nullopt;
}

std::string show_bytes(std::int64_t bytes) {
  constexpr std::array<std::string_view, 4> units{"TiB", "GiB", "MiB", "KiB"};
  int shift = 40;
  for (const auto unit : units) {
    if (bytes != 0 && bytes % (1LL << shift) == 0) return std::to_string(bytes >> shift) + std::string(unit);
    shift -= 10;
  }
  return std::to_string(bytes);
}

std::string show_seconds(double seconds) {
  std::array<char, 32> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), seconds);
  return std::string(digits.data(), end) + 's';
}

namespace {

constexpr std::string_view base64_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string to_base64(std::span<const std::byte> bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t b = 0; b < 3; ++b)
      three = three << 8 | (b < count ? std::to_integer<std::uint32_t>(bytes[i + b]) : 0);
    for (std::size_t d = 0; d < 4; ++d) text += d <= count ? base64_digits[three >> (18 - 6 * d) & 63] : '=';
  }
  return text;
}

std::optional<std::vector<std::byte>> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : (text.ends_with('=') ? 1 : 0);
  std::vector<std::byte> bytes;
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool padded = i >= text.size() - padding;
    const std::size_t digit = padded ? 0 : base64_digits.find(text[i]);
    if (digit == base64_digits.npos) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    if (i % 4 != 3) continue;
    for (int shift = 16; shift >= 0; shift -= 8) bytes.push_back(static_cast<std::byte>(bits >> shift));
    bits = 0;
  }
  bytes.resize(bytes.size() - padding);
  return bytes;
}

void throw_error(Code code, fmt::string_view literal, fmt::format_args arguments, std::source_location where) {
  throw Error(code, format_text(literal, arguments), where);
}

}  // namespace weir
