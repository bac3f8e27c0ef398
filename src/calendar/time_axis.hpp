// SPDX-License-Identifier: Apache-2.0
// A model's time: CF units ("hours since 1990-01-01 00:00:00") and a calendar. Inside Weir an instant is a whole number
// of microseconds since the units' reference date, so that instants compare exactly. Pure, Local.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace weir {

// CF's calendars. standard: Julian before 1582-10-15, Gregorian from then on.
enum class Calendar { standard, proleptic_gregorian, julian, noleap, all_leap, day_360 };

// Returns CF's word for a calendar: "standard", "noleap", "360_day".
std::string_view name(Calendar calendar) noexcept;

// Microseconds since the reference date of a time axis.
using Instant = std::int64_t;
inline constexpr Instant microseconds_a_second = 1'000'000;
inline constexpr Instant microseconds_a_day = 86'400 * microseconds_a_second;

// A date and a time of day, in a calendar. Year 0 exists (astronomical years).
struct Date {
  std::int64_t year = 1;
  int month = 1;
  int day = 1;
  std::int64_t microsecond = 0;  // of the day

  auto operator<=>(const Date&) const = default;
};

// Returns the last day of a month: its number of days, but for October 1582 of standard, which has 31 and leaves out
// ten. Requires: `month` is 1 to 12.
int days_in_month(Calendar calendar, std::int64_t year, int month) noexcept;
// Whether a date is one of the ten that standard leaves out, 1582-10-05 to 1582-10-14.
bool is_left_out(Calendar calendar, const Date& date) noexcept;
// Returns the number of days from 0001-01-01 to a date that exists in the calendar.
std::int64_t day_number(Calendar calendar, const Date& date) noexcept;
// Returns the date of a day number; its microsecond is 0.
Date date_of_day(Calendar calendar, std::int64_t day) noexcept;
// Reads "1990-01-01", "1990-1-1 6:30", "1990-01-01T06:30:00.5Z", "1990-01-01 00:00:00 +2:00", "1990-01", "1990". The
// date is in universal time.
// Errors: WEIR_EARGUMENT if it is not a date, or does not exist in the calendar (30 February).
Date parse_date(Calendar calendar, std::string_view text);

class TimeAxis {
 public:
  // Makes a time axis. `units`: days, hours, minutes, seconds, milliseconds or microseconds since a date, in the
  // spellings of CF and udunits (day, d, hr, h, min, sec, s, ms, ...), in capital or small letters; the date may end
  // with a time zone (Z, UTC, +2:00). `calendar`: CF's words and their synonyms (gregorian, 365_day, 366_day); "" is
  // standard.
  // Errors: WEIR_EARGUMENT for units or a calendar that are not CF's, with the nearest word; months and years have no
  // fixed length, and are refused. So is a date before year 1 in standard and julian, in which cftime has no year 0.
  TimeAxis(std::string_view units, std::string_view calendar);

  // Return the units as files have them, and the calendar. The units are those that were given, the unit in one word
  // ("days", "hours", ...). A date with a time zone, or one that not all readers read alike, is there as in_words() has
  // it.
  const std::string& units() const noexcept { return units_; }
  Calendar calendar() const noexcept { return calendar_; }

  // Return a time in the axis' units as an instant, rounded to a microsecond; and the double that is nearest to an
  // instant. Where doubles are further apart than a microsecond, a time becomes the whole second, or else millisecond,
  // that the double stands for as well: hours in days since the year 1 are whole hours.
  // Errors: WEIR_EARGUMENT for a time that is not finite, or more than 290,000 years from the reference date.
  Instant instant(double time) const;
  double time(Instant instant) const noexcept;
  // Return the instant of a date, and the date of an instant, in the axis' calendar.
  // Errors: instant(): WEIR_EARGUMENT for a date that does not exist in the calendar, or is too far away.
  Instant instant(const Date& date) const;
  // As instant(), without a check. Requires: the date exists, at most 292,000 years from the reference date.
  Instant instant_of(const Date& date) const noexcept;
  Date date(Instant instant) const noexcept;

  // Returns an instant in words: "1990-01-31 06:00:00".
  std::string in_words(Instant instant) const;

  bool operator==(const TimeAxis&) const = default;

 private:
  std::string units_;
  Calendar calendar_;
  std::int64_t unit_microseconds_ = 0;
  std::int64_t reference_day_ = 0;          // day_number() of the reference date
  std::int64_t reference_microsecond_ = 0;  // of that day
};

// Returns the end of what begins at an instant. Empty where ends are not known beforehand.
using EndOf = std::function<Instant(Instant)>;

// Replaces each {time:FORMAT} of a pattern by the date of `instant`, each {end:FORMAT} by that of the last second
// before its end, and each {field} by `field`. FORMAT has strftime's %Y (at least 4 digits), %m, %d, %H, %M, %S, %j,
// %%; {time} alone is {time:%Y%m%dT%H%M%S}. Errors: WEIR_EARGUMENT for another word in braces, {end} where ends are not
// known, a brace without its other one, or another letter after %.
std::string expand_pattern(std::string_view pattern, const TimeAxis& axis, Instant instant, std::string_view field,
                           const EndOf& end_of = {});
// Returns the date that expand_pattern() has put into a text for {time}, with the first month, day and second where the
// pattern leaves them out; nullopt for a text that it has not made, of a year that has not four digits, or where the
// pattern has no year, or a part without the next larger one. Requires: `pattern` has no {field}.
std::optional<Instant> instant_in(std::string_view text, std::string_view pattern, const TimeAxis& axis,
                                  const EndOf& end_of = {});
// Whether a pattern has {field}, or {time}.
bool has_field(std::string_view pattern) noexcept;
bool has_time(std::string_view pattern) noexcept;

}  // namespace weir
