// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "calendar/date_text.hpp"
#include "calendar/time_axis.hpp"

namespace weir {
namespace {

constexpr std::string_view time_word = "time";
constexpr std::string_view end_word = "end";
constexpr std::string_view field_word = "field";
constexpr std::string_view usual_format = "%Y%m%dT%H%M%S";

std::string expand_letter(std::string_view pattern, char letter, Calendar calendar, const Date& date) {
  const std::int64_t second = date.microsecond / microseconds_a_second;
  switch (letter) {
    case 'Y':
      return padded_number(date.year, 4);
    case 'm':
      return padded_number(date.month, 2);
    case 'd':
      return padded_number(date.day, 2);
    case 'H':
      return padded_number(second / 3600, 2);
    case 'M':
      return padded_number(second / 60 % 60, 2);
    case 'S':
      return padded_number(second % 60, 2);
    case 'j':
      return padded_number(day_number(calendar, date) - day_number(calendar, {.year = date.year}) + 1, 3);
    case '%':
      return "%";
    default:
      throw Error(WEIR_EARGUMENT, "\"{}\": %{} is not known; the parts of a date are %Y, %m, %d, %H, %M, %S and %j",
                  pattern, letter);
  }
}

std::string expand_time(std::string_view pattern, std::string_view format, Calendar calendar, const Date& date) {
  std::string text;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      text += format[i];
      continue;
    }
    require(++i < format.size(), WEIR_EARGUMENT, "\"{}\": a letter is missing behind the last %", pattern);
    text += expand_letter(pattern, format[i], calendar, date);
  }
  return text;
}

// What stands in one pair of braces.
std::string expand_word(std::string_view pattern, std::string_view word, const TimeAxis& axis, Instant instant,
                        std::string_view field, const EndOf& end_of) {
  if (word == field_word) return std::string(field);
  const auto colon = word.find(':');
  const std::string_view kind = word.substr(0, colon);
  const std::string_view format = colon == word.npos ? usual_format : word.substr(colon + 1);
  if (kind == time_word && !format.empty()) return expand_time(pattern, format, axis.calendar(), axis.date(instant));
  if (kind == end_word && !format.empty()) {
    require(
        end_of != nullptr, WEIR_EARGUMENT,
        "\"{}\": {{{}}} is for files that end with an interval; give split: 1 month or another interval, or leave it "
        "out",
        pattern, word);
    return expand_time(pattern, format, axis.calendar(), axis.date(end_of(instant) - microseconds_a_second));
  }
  constexpr std::array<std::string_view, 3> known{time_word, end_word, field_word};
  const auto nearest = nearest_word(kind, known);
  throw Error(WEIR_EARGUMENT, "\"{}\": {{{}}} is not known; {}", pattern, word,
              nearest && *nearest != kind ? formatted("did you mean {{{}}}?", *nearest)
                                          : "give {time}, {time:%Y-%m}, {end:%Y-%m} or {field}");
}

// A date, as it is read from a name.
struct DateInName {
  std::int64_t year = 1, month = 1, day = 1, day_of_year = 0, hour = 0, minute = 0, second = 0;
  std::string letters;  // of what was read

  // Whether it says the year, and no part without the next larger one.
  bool is_whole() const {
    const auto has = [&](char letter) { return letters.find(letter) != letters.npos; };
    return has('Y') && (!has('d') || has('m')) && (!has('H') || has('d') || has('j')) && (!has('M') || has('H')) &&
           (!has('S') || has('M'));
  }

  // The number that a letter of a format stands for, and how many digits it has; nullptr: none.
  std::pair<std::int64_t*, std::size_t> part(char letter) {
    switch (letter) {
      case 'Y':
        return {&year, 4};
      case 'm':
        return {&month, 2};
      case 'd':
        return {&day, 2};
      case 'H':
        return {&hour, 2};
      case 'M':
        return {&minute, 2};
      case 'S':
        return {&second, 2};
      case 'j':
        return {&day_of_year, 3};
      default:
        return {nullptr, 0};
    }
  }
  Date date(Calendar calendar) const {
    Date of{year, static_cast<int>(month), static_cast<int>(day)};
    if (day_of_year > 0) of = date_of_day(calendar, day_number(calendar, {.year = year}) + day_of_year - 1);
    of.microsecond = ((hour * 60 + minute) * 60 + second) * microseconds_a_second;
    return of;
  }
};

// Takes what stands for one pair of braces from the begin of a text; false: it is something else.
bool read_time(std::string_view format, std::string_view& text, DateInName& date) {
  for (std::size_t i = 0; i < format.size(); ++i) {
    const auto [number, digits] = format[i] == '%' ? date.part(format[++i]) : std::pair(nullptr, std::size_t{0});
    if (number == nullptr) {
      if (!text.starts_with(format[i])) return false;
      text.remove_prefix(1);
      continue;
    }
    const std::string_view part = text.substr(0, digits);
    const auto read = parse_whole(part);
    if (part.size() < digits || part.find_first_not_of("0123456789") != part.npos || !read) return false;
    *number = *read;
    date.letters += format[i];
    text.remove_prefix(digits);
  }
  return true;
}

bool has_word(std::string_view pattern, std::string_view word) noexcept {
  for (auto brace = pattern.find('{'); brace != pattern.npos; brace = pattern.find('{', brace + 1)) {
    const auto behind = pattern.substr(brace + 1);
    if (!behind.starts_with(word)) continue;
    const auto end = behind.substr(word.size());
    if (end.starts_with('}') || end.starts_with(':')) return true;
  }
  return false;
}

}  // namespace

std::string expand_pattern(std::string_view pattern, const TimeAxis& axis, Instant instant, std::string_view field,
                           const EndOf& end_of) {
  std::string text;
  for (std::string_view rest = pattern; !rest.empty();) {
    const auto brace = rest.find_first_of("{}");
    text += rest.substr(0, brace);
    if (brace == rest.npos) break;
    const auto end = rest.find_first_of("{}", brace + 1);
    require(rest[brace] == '{' && end != rest.npos && rest[end] == '}', WEIR_EARGUMENT,
            "\"{}\": a brace is without its other one", pattern);
    text += expand_word(pattern, rest.substr(brace + 1, end - brace - 1), axis, instant, field, end_of);
    rest.remove_prefix(end + 1);
  }
  return text;
}

std::optional<Instant> instant_in(std::string_view text, std::string_view pattern, const TimeAxis& axis,
                                  const EndOf& end_of) {
  DateInName read;
  std::string_view left = text;
  for (std::string_view rest = pattern; !rest.empty();) {
    const auto brace = rest.find('{');
    if (!left.starts_with(rest.substr(0, brace))) return std::nullopt;
    left.remove_prefix(std::min(brace, rest.size()));
    if (brace == rest.npos) break;
    const auto end = rest.find('}', brace);
    const std::string_view word = rest.substr(brace + 1, end - brace - 1);
    const auto colon = word.find(':');
    DateInName of_end;
    DateInName& date = word.substr(0, colon) == end_word ? of_end : read;
    if (!read_time(colon == word.npos ? usual_format : word.substr(colon + 1), left, date)) return std::nullopt;
    rest.remove_prefix(end + 1);
  }
  if (!read.is_whole()) return std::nullopt;
  try {
    const Instant instant = axis.instant(read.date(axis.calendar()));
    return expand_pattern(pattern, axis, instant, "", end_of) == text ? std::optional(instant) : std::nullopt;
  } catch (const Error&) {  // no date of the calendar
    return std::nullopt;
  }
}

bool has_field(std::string_view pattern) noexcept {
  return has_word(pattern, field_word);
}

bool has_time(std::string_view pattern) noexcept {
  return has_word(pattern, time_word);
}

}  // namespace weir
