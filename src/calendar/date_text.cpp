// SPDX-License-Identifier: Apache-2.0
#include "calendar/date_text.hpp"

#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "calendar/whole_division.hpp"

namespace weir {
namespace {

constexpr Instant microseconds_a_minute = 60 * microseconds_a_second;
constexpr Instant microseconds_an_hour = 60 * microseconds_a_minute;

// Reads a text from its begin to its end. Each method takes what it names, or nothing.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool done() const noexcept { return at_ == text_.size(); }
  char next() const noexcept { return done() ? '\0' : text_[at_]; }
  bool take(char letter) noexcept {
    if (next() != letter) return false;
    ++at_;
    return true;
  }
  // Whether there were blanks.
  bool take_blanks() noexcept {
    const std::size_t begin = at_;
    while (next() == ' ' || next() == '\t') ++at_;
    return at_ > begin;
  }
  bool take_word(std::string_view word) {
    if (in_small_letters(text_.substr(at_, word.size())) != word) return false;
    at_ += word.size();
    return true;
  }
  // Returns the digits here, which may be none.
  std::string_view take_digits() noexcept {
    const std::size_t begin = at_;
    while (next() >= '0' && next() <= '9') ++at_;
    return text_.substr(begin, at_ - begin);
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

// A number of at least one and at most `most_digits` digits.
std::optional<std::int64_t> take_number(Scanner& text, std::size_t most_digits) noexcept {
  const auto digits = text.take_digits();
  if (digits.empty() || digits.size() > most_digits) return std::nullopt;
  return parse_whole(digits);
}

// What a text says, before a look at the calendar.
struct WrittenDate {
  Date date;             // its `microsecond` counts whole seconds only
  Instant fraction = 0;  // of a second, rounded: up to a whole second
  bool plain = true;     // as ReadDate
  Instant zone = 0;      // local time is so far ahead of universal time
};

// The six letters behind the point are microseconds; the seventh says whether to round up.
Instant rounded_fraction(std::string_view digits) noexcept {
  Instant fraction = 0;
  for (std::size_t i = 0; i < 6; ++i) fraction = 10 * fraction + (i < digits.size() ? digits[i] - '0' : 0);
  return fraction + (digits.size() > 6 && digits[6] >= '5' ? 1 : 0);
}

// "6", "6:30", "06:30:15", "06:30:15.25". Whether there was one.
bool take_time(Scanner& text, WrittenDate& written) noexcept {
  const auto hour = take_number(text, 2);
  if (!hour || *hour > 23) return false;
  written.date.microsecond = *hour * microseconds_an_hour;
  written.plain = written.plain && text.next() == ':';
  if (!text.take(':')) return true;
  const auto minute = take_number(text, 2);
  if (!minute || *minute > 59) return false;
  written.date.microsecond += *minute * microseconds_a_minute;
  if (!text.take(':')) return true;
  const auto second = take_number(text, 2);
  if (!second || *second > 59) return false;
  written.date.microsecond += *second * microseconds_a_second;
  if (text.take('.')) written.fraction = rounded_fraction(text.take_digits());
  return true;
}

// "Z", "UTC", "GMT", "+2", "-02:30", "+0530", and without a sign "2:00", as udunits has it. Whether there was one.
bool take_zone(Scanner& text, WrittenDate& written) {
  written.plain = false;
  for (const std::string_view universal : {"utc", "ut", "gmt", "z"})
    if (text.take_word(universal)) return true;
  const bool west = text.take('-');
  if (!west) text.take('+');
  const auto digits = text.take_digits();
  if (digits.empty() || digits.size() > 4) return false;
  const std::size_t hour_digits = digits.size() > 2 ? digits.size() - 2 : digits.size();
  const auto hours = parse_whole(digits.substr(0, hour_digits));
  auto minutes = parse_whole(digits.size() > 2 ? digits.substr(hour_digits) : "0");
  if (digits.size() <= 2 && text.take(':')) minutes = take_number(text, 2);
  if (!hours || *hours > 23 || !minutes || *minutes > 59) return false;
  written.zone = *hours * microseconds_an_hour + *minutes * microseconds_a_minute;
  if (west) written.zone = -written.zone;
  return true;
}

// nullopt: the text is not a date. A year alone has at most four digits: 19900101 would be one that nobody means.
std::optional<WrittenDate> take_date(Scanner& text) {
  WrittenDate written;
  Date& date = written.date;
  const bool before_year_0 = text.take('-');
  if (!before_year_0) text.take('+');
  const auto digits = text.take_digits();
  const bool has_month = text.take('-');
  bool has_day = false;
  const auto year = parse_whole(digits);
  if (!year || digits.size() > (has_month ? 6U : 4U)) return std::nullopt;
  date.year = before_year_0 ? -*year : *year;
  if (has_month) {
    const auto month = take_number(text, 2);
    if (!month) return std::nullopt;
    date.month = static_cast<int>(*month);
    has_day = text.take('-');
    if (has_day) {
      const auto day = take_number(text, 2);
      if (!day) return std::nullopt;
      date.day = static_cast<int>(*day);
    }
  }
  written.plain = has_day && text.next() != 't';
  const bool apart = text.take('T') || text.take('t') || text.take_blanks();
  if (apart && text.next() >= '0' && text.next() <= '9') {
    if (!take_time(text, written)) return std::nullopt;
    text.take_blanks();
  }
  if (!text.done() && !take_zone(text, written)) return std::nullopt;
  return text.done() ? std::optional(written) : std::nullopt;
}

}  // namespace

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  for (char& letter : small)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return small;
}

std::string padded_number(std::int64_t number, int digits) {
  std::string text = std::to_string(number < 0 ? -number : number);
  if (static_cast<int>(text.size()) < digits) text.insert(0, static_cast<std::size_t>(digits) - text.size(), '0');
  if (number < 0) text.insert(0, 1, '-');
  return text;
}

std::string in_words(const Date& date) {
  const Instant second = date.microsecond / microseconds_a_second;
  std::string text = formatted("{}-{}-{} {}:{}:{}", padded_number(date.year, 4), padded_number(date.month, 2),
                               padded_number(date.day, 2), padded_number(second / 3600, 2),
                               padded_number(second / 60 % 60, 2), padded_number(second % 60, 2));
  if (const Instant fraction = date.microsecond % microseconds_a_second; fraction > 0) {
    text.append(1, '.').append(padded_number(fraction, 6));
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text;
}

std::optional<std::string> why_impossible(Calendar calendar, const Date& date) {
  const bool is_month = date.month >= 1 && date.month <= 12;
  const int days = is_month ? days_in_month(calendar, date.year, date.month) : 0;
  const bool is_day = date.day >= 1 && date.day <= days;
  const bool left_out = is_left_out(calendar, date);
  const bool is_time = date.microsecond >= 0 && date.microsecond < microseconds_a_day;
  if (is_month && is_day && !left_out && is_time) return std::nullopt;

  const std::string month = formatted("{}-{}", padded_number(date.year, 4), padded_number(date.month, 2));
  if (!is_month) return formatted("{} does not exist: months are 01 to 12", month);
  const std::string day = formatted("{}-{}", month, padded_number(date.day, 2));
  if (!is_day) {
    return formatted("{} does not exist in the calendar {}, whose {} has {} days", day, name(calendar), month, days);
  }
  if (left_out) {
    return formatted(
        "{} does not exist in the calendar standard, in which 1582-10-15 follows 1582-10-04; the calendar "
        "proleptic_gregorian has it",
        day);
  }
  return formatted("{} has no microsecond {}: a day has {}", day, date.microsecond, microseconds_a_day);
}

std::variant<ReadDate, std::string> read_date(Calendar calendar, std::string_view text) {
  Scanner scanner(trimmed(text));
  const auto written = take_date(scanner);
  if (!written) return formatted("\"{}\" is not a date; write it as 1990-01-31, or 1990-01-31 06:30:00", trimmed(text));
  if (auto why = why_impossible(calendar, written->date)) return std::move(*why);
  const Instant after_midnight = written->date.microsecond + written->fraction - written->zone;
  const std::int64_t day = day_number(calendar, written->date) + whole_part(after_midnight, microseconds_a_day);
  ReadDate read{date_of_day(calendar, day), written->plain};
  read.date.microsecond = remainder_of(after_midnight, microseconds_a_day);
  return read;
}

Date parse_date(Calendar calendar, std::string_view text) {
  const auto read = read_date(calendar, text);
  if (const auto* why = std::get_if<std::string>(&read)) throw Error(WEIR_EARGUMENT, *why);
  return std::get<ReadDate>(read).date;
}

}  // namespace weir
