// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"
#include "calendar/date_text.hpp"
#include "calendar/time_axis.hpp"

namespace weir {
namespace {

constexpr std::string_view time_word = "time";
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
                        std::string_view field) {
  if (word == field_word) return std::string(field);
  const auto colon = word.find(':');
  const std::string_view kind = word.substr(0, colon);
  const std::string_view format = colon == word.npos ? usual_format : word.substr(colon + 1);
  if (kind == time_word && !format.empty()) return expand_time(pattern, format, axis.calendar(), axis.date(instant));
  constexpr std::array<std::string_view, 2> known{time_word, field_word};
  const auto nearest = nearest_word(kind, known);
  throw Error(WEIR_EARGUMENT, "\"{}\": {{{}}} is not known; {}", pattern, word,
              nearest && *nearest != kind ? formatted("did you mean {{{}}}?", *nearest)
                                          : "give {time}, {time:%Y-%m} or {field}");
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

std::string expand_pattern(std::string_view pattern, const TimeAxis& axis, Instant instant, std::string_view field) {
  std::string text;
  for (std::string_view rest = pattern; !rest.empty();) {
    const auto brace = rest.find_first_of("{}");
    text += rest.substr(0, brace);
    if (brace == rest.npos) break;
    const auto end = rest.find_first_of("{}", brace + 1);
    require(rest[brace] == '{' && end != rest.npos && rest[end] == '}', WEIR_EARGUMENT,
            "\"{}\": a brace is without its other one", pattern);
    text += expand_word(pattern, rest.substr(brace + 1, end - brace - 1), axis, instant, field);
    rest.remove_prefix(end + 1);
  }
  return text;
}

bool has_field(std::string_view pattern) noexcept {
  return has_word(pattern, field_word);
}

bool has_time(std::string_view pattern) noexcept {
  return has_word(pattern, time_word);
}

}  // namespace weir
