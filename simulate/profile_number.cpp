// SPDX-License-Identifier: Apache-2.0
#include "simulate/profile_number.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace weir::simulate {

namespace {

using Names = std::span<const std::pair<std::string_view, double>>;

// Largest first: the unit a number is shown in.
constexpr std::array<std::pair<std::string_view, double>, 6> time_units{
    {{"h", 3600}, {"min", 60}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}}};
constexpr std::array<std::pair<std::string_view, double>, 9> amounts{{{"TB", 1e12},
                                                                      {"GB", 1e9},
                                                                      {"MB", 1e6},
                                                                      {"KB", 1e3},
                                                                      {"B", 1},
                                                                      {"TiB", 0x1p40},
                                                                      {"GiB", 0x1p30},
                                                                      {"MiB", 0x1p20},
                                                                      {"KiB", 0x1p10}}};
constexpr std::array<std::string_view, 4> sources{"measured", "published", "fitted", "assumed"};

[[noreturn]] void reject(const std::string& sentence) {
  throw Error(WEIR_ECONFIG, sentence);
}

std::string_view example(Unit unit) noexcept {
  switch (unit) {
    case Unit::seconds:
      return "a time with its unit, as 2.5us (units are ns, us, ms, s, min, h)";
    case Unit::bytes:
      return "a size with its unit, as 64MiB (units are B, KB, MB, GB, TB, KiB, MiB, GiB, TiB)";
    case Unit::bytes_a_second:
      return "a rate with its unit, as 3.1GB/s (units are B/s, KB/s, MB/s, GB/s, TB/s, KiB/s, ...)";
    case Unit::share:
      return "a number without unit, as 0.95";
  }
  return "";
}

double unit_of(std::string_view word, Unit unit, std::string_view text) {
  if (unit == Unit::bytes_a_second && word.ends_with("/s")) word.remove_suffix(2);
  if (unit == Unit::share && word.empty()) return 1;
  const Names names = unit == Unit::seconds ? Names(time_units) : Names(amounts);
  if (unit != Unit::share)
    for (const auto& [name, factor] : names)
      if (name == word) return factor;
  reject(formatted("\"{}\" is not what belongs here; give {}", text, example(unit)));
}

}  // namespace

double parse_number(std::string_view text, const Range& range) {
  const std::string_view whole = trimmed(text);
  double number = 0;
  const auto [end, problem] = std::from_chars(whole.data(), whole.data() + whole.size(), number);
  if (problem != std::errc() || !std::isfinite(number))
    reject(formatted("\"{}\" is no number; give {}", text, example(range.unit)));
  const auto used = static_cast<std::size_t>(end - whole.data());
  const std::string_view word = trimmed(whole.substr(used));
  if (range.unit == Unit::bytes_a_second && !word.ends_with("/s"))
    reject(formatted("\"{}\" is not what belongs here; give {}", text, example(range.unit)));
  const double value = number * unit_of(word, range.unit, text);
  if (value < range.least || value > range.most)
    reject(formatted("\"{}\" is invalid: give a value between {} and {}", text, show_number(range.least, range.unit),
                     show_number(range.most, range.unit)));
  return value;
}

Source parse_source(std::string_view text) {
  for (std::size_t i = 0; i < sources.size(); ++i)
    if (sources[i] == text) return static_cast<Source>(i);
  reject(formatted("\"{}\" is no source; give one of {}", text, join_words(sources)));
}

std::string_view name(Source source) noexcept {
  return sources[static_cast<std::size_t>(source)];
}

std::string show_number(double value, Unit unit) {
  const Names names = unit == Unit::seconds ? Names(time_units).subspan(2) : Names(amounts).first(5);
  std::string_view word;
  double factor = 1;
  if (unit != Unit::share)
    for (const auto& [name, size] : names) {
      word = name;
      factor = size;
      if (std::abs(value) >= size) break;
    }
  if (value == 0 && unit != Unit::share) factor = 1, word = unit == Unit::seconds ? "s" : "B";
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.4g", value / factor);
  return digits + std::string(word) + (unit == Unit::bytes_a_second ? "/s" : "");
}

}  // namespace weir::simulate
