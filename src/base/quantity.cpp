// SPDX-License-Identifier: Apache-2.0
#include "base/quantity.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace weir {
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

}  // namespace weir
