// SPDX-License-Identifier: Apache-2.0
// What the tests of the calendars draw: calendars, dates that exist, instants near and far; and the sentence of a call
// that is refused.
#pragma once

#include <rapidcheck.h>

#include <array>
#include <string>

#include "base/error.hpp"
#include "calendar/interval.hpp"

namespace weir::drawn {

inline constexpr std::array<Calendar, 6> all_calendars{Calendar::standard, Calendar::proleptic_gregorian,
                                                       Calendar::julian,   Calendar::noleap,
                                                       Calendar::all_leap, Calendar::day_360};

inline Calendar calendar() {
  return *rc::gen::elementOf(all_calendars);
}

inline std::int64_t between(std::int64_t first, std::int64_t last) {
  return *rc::gen::inRange(first, last + 1);
}

// Most years are those of models; some are far away.
inline std::int64_t year() {
  return *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(1850, 2101), rc::gen::inRange<std::int64_t>(-20, 1700),
                         rc::gen::inRange<std::int64_t>(-140'000, 140'000));
}

inline Date date(Calendar calendar) {
  Date date{.year = year(), .month = static_cast<int>(between(1, 12))};
  date.day = static_cast<int>(between(1, days_in_month(calendar, date.year, date.month)));
  if (is_left_out(calendar, date)) date.day += 10;
  date.microsecond =
      *rc::gen::oneOf(rc::gen::just<std::int64_t>(0), rc::gen::inRange<std::int64_t>(0, microseconds_a_day));
  return date;
}

inline TimeAxis axis(Calendar calendar) {
  const std::array<std::string, 5> references{"0001-01-01", "1990-01-01 00:00:00", "1850-07-16 12:30",
                                              "0004-03-01 12:00", "2300-02-28 23:59:59.999999"};
  const std::array<std::string, 6> units{"days", "hours", "minutes", "seconds", "milliseconds", "microseconds"};
  return {*rc::gen::elementOf(units) + " since " + *rc::gen::elementOf(references), name(calendar)};
}

// Returns the message of the error that a call must end with; "" if it does not.
template <class Call>
std::string refusal(Code code, Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code() == code ? error.what() : "another code: " + std::string(error.what());
  }
  return "";
}

}  // namespace weir::drawn
