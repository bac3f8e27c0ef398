// SPDX-License-Identifier: Apache-2.0
// Where intervals begin and end.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "drawn.hpp"

namespace weir {
namespace {

// RapidCheck's hundred cases are few for all that varies here and in the folder's other files; a user's own RC_PARAMS
// stays.
[[maybe_unused]] const int more_cases = setenv("RC_PARAMS", "max_success=2000", 0);

// The interval of a date, in words.
struct Case {
  std::string interval, calendar, date, begin, end;
  std::string start = {};  // of the run; "": aligned by the calendar
  std::string reference = "1990-01-03 06:00";
};

void check_cases(const std::vector<Case>& cases) {
  for (const Case& one : cases) {
    SCOPED_TRACE(one.interval + ", " + one.calendar + ", " + one.date);
    const TimeAxis axis("hours since " + one.reference, one.calendar);
    const auto at = [&](const std::string& date) { return axis.instant(parse_date(axis.calendar(), date)); };
    const Boundaries boundaries(axis, parse_interval(one.interval),
                                one.start.empty() ? AlignedTo::calendar : AlignedTo::start,
                                one.start.empty() ? 0 : at(one.start));
    EXPECT_EQ(axis.in_words(boundaries.begin_of(at(one.date))), one.begin);
    EXPECT_EQ(axis.in_words(boundaries.end_of(at(one.date))), one.end);
  }
}

TEST(Boundaries, LengthsThatDivideADayAreCountedFromMidnight) {
  check_cases({{"6 hours", "standard", "1990-01-10 05:00", "1990-01-10 00:00:00", "1990-01-10 06:00:00"},
               {"6 hours", "standard", "1990-01-10 06:00", "1990-01-10 00:00:00", "1990-01-10 06:00:00"},
               {"6 hours", "standard", "1990-01-10 06:00:00.000001", "1990-01-10 06:00:00", "1990-01-10 12:00:00"},
               {"6 hours", "standard", "1890-01-10 06:00", "1890-01-10 00:00:00", "1890-01-10 06:00:00"},
               {"20 minutes", "noleap", "1990-01-01", "1989-12-31 23:40:00", "1990-01-01 00:00:00"},
               {"1 day", "360_day", "1990-02-30 12:00", "1990-02-30 00:00:00", "1990-03-01 00:00:00"},
               {"1 day", "standard", "1582-10-04 12:00", "1582-10-04 00:00:00", "1582-10-15 00:00:00"}});
}

TEST(Boundaries, OtherLengthsAreCountedFromMidnightOfTheReferenceDate) {
  check_cases({{"5 days", "standard", "1990-01-03 01:00", "1990-01-03 00:00:00", "1990-01-08 00:00:00"},
               {"5 days", "standard", "1990-01-03", "1989-12-29 00:00:00", "1990-01-03 00:00:00"},
               {"7 hours", "standard", "1990-01-03 20:00", "1990-01-03 14:00:00", "1990-01-03 21:00:00"},
               {"7 hours", "standard", "1990-01-02 20:00", "1990-01-02 17:00:00", "1990-01-03 00:00:00"},
               {"5 months", "standard", "1990-07-01", "1990-06-01 00:00:00", "1990-11-01 00:00:00"},
               {"5 months", "standard", "1989-12-31", "1989-08-01 00:00:00", "1990-01-01 00:00:00"}});
}

TEST(Boundaries, MonthsSeasonsAndYearsFollowTheCalendar) {
  check_cases({{"1 month", "standard", "1990-02-15", "1990-02-01 00:00:00", "1990-03-01 00:00:00"},
               {"1 month", "standard", "1990-03-01", "1990-02-01 00:00:00", "1990-03-01 00:00:00"},
               {"1 month", "standard", "1582-10-04", "1582-10-01 00:00:00", "1582-11-01 00:00:00"},
               {"1 month", "360_day", "1990-02-30 12:00", "1990-02-01 00:00:00", "1990-03-01 00:00:00"},
               {"3 months", "standard", "1990-02-15", "1990-01-01 00:00:00", "1990-04-01 00:00:00"},
               {"1 season", "standard", "1990-02-15", "1989-12-01 00:00:00", "1990-03-01 00:00:00"},
               {"1 season", "noleap", "1990-12-01 01:00", "1990-12-01 00:00:00", "1991-03-01 00:00:00"},
               {"2 seasons", "standard", "1990-04-15", "1989-12-01 00:00:00", "1990-06-01 00:00:00"},
               {"4 seasons", "standard", "1990-04-15", "1989-12-01 00:00:00", "1990-12-01 00:00:00"},
               {"1 year", "julian", "1990-01-01", "1989-01-01 00:00:00", "1990-01-01 00:00:00"},
               {"10 years", "all_leap", "1999-12-31", "1990-01-01 00:00:00", "2000-01-01 00:00:00"},
               {"10 years", "standard", "-0003-06-01", "-0010-01-01 00:00:00", "0000-01-01 00:00:00"}});
}

TEST(Boundaries, CountedFromTheStartMonthsKeepTheDayWhereTheyHaveIt) {
  check_cases(
      {{"6 hours", "standard", "1990-01-10 05:00", "1990-01-10 01:30:00", "1990-01-10 07:30:00", "1990-01-01 01:30"},
       {"5 days", "standard", "1990-01-01 13:00", "1990-01-01 12:00:00", "1990-01-06 12:00:00", "1990-01-01 12:00"},
       {"1 month", "standard", "1990-02-10", "1990-01-31 12:00:00", "1990-02-28 12:00:00", "1990-01-31 12:00"},
       {"1 month", "standard", "1990-03-01", "1990-02-28 12:00:00", "1990-03-31 12:00:00", "1990-01-31 12:00"},
       {"1 month", "standard", "1992-02-29 12:00", "1992-01-31 12:00:00", "1992-02-29 12:00:00", "1990-01-31 12:00"},
       {"1 month", "standard", "1990-04-30", "1990-03-31 00:00:00", "1990-04-30 00:00:00", "1990-01-31"},
       {"1 month", "standard", "1989-03-15", "1989-02-28 00:00:00", "1989-03-30 00:00:00", "1990-01-30"},
       {"1 year", "standard", "1995-01-01", "1994-02-28 00:00:00", "1995-02-28 00:00:00", "1992-02-29"},
       {"4 years", "standard", "1995-01-01", "1992-02-29 00:00:00", "1996-02-29 00:00:00", "1992-02-29"},
       {"1 season", "standard", "1990-03-01", "1990-01-15 00:00:00", "1990-04-15 00:00:00", "1990-01-15"},
       {"1 month", "standard", "1582-10-16", "1582-10-15 00:00:00", "1582-11-10 00:00:00", "1582-09-10"},
       {"1 month", "standard", "1582-10-03", "1582-09-10 00:00:00", "1582-10-15 00:00:00", "1582-09-10"}});
}

// Microseconds in ten thousand years since the reference date are more than a double can hold.
TEST(Boundaries, AreExactFarFromTheReferenceDate) {
  check_cases({{"1 second", "standard", "12000-03-01 00:00:00.000001", "12000-03-01 00:00:00", "12000-03-01 00:00:01"},
               {"1 month", "julian", "-12000-02-29 01:00", "-12000-02-01 00:00:00", "-12000-03-01 00:00:00"},
               {"1000 years", "noleap", "250000-06-01", "250000-01-01 00:00:00", "251000-01-01 00:00:00"},
               {"365000 days", "noleap", "-250000-06-01", "-250010-01-03 00:00:00", "-249010-01-03 00:00:00"},
               {"365000 days", "noleap", "250000-06-01", "250000-05-01 00:00:00", "251000-05-01 00:00:00",
                "-250000-05-01", "0001-01-01"}});
}

Interval drawn_interval() {
  const std::int64_t count = *rc::gen::element<std::int64_t>(1, 2, 3, 4, 5, 6, 7, 12, 13, 24, 120, 10'000);
  switch (drawn::between(0, 3)) {
    case 0:
      return {count * 1'800 * microseconds_a_second, Interval::Unit::microseconds, false};
    case 1:
      return {std::min<std::int64_t>(count * microseconds_a_day, 300'000 * microseconds_a_day),
              Interval::Unit::microseconds, false};
    case 2:
      return {std::min<std::int64_t>(count, 4'000) * 3, Interval::Unit::months, true};
    default:
      return {count, Interval::Unit::months, false};
  }
}

RC_GTEST_PROP(Boundaries, AscendWithoutGapOrOverlap, ()) {
  const Calendar calendar = drawn::calendar();
  const TimeAxis axis = drawn::axis(calendar);
  const Boundaries boundaries(axis, drawn_interval(), *rc::gen::element(AlignedTo::calendar, AlignedTo::start),
                              axis.instant(drawn::date(calendar)));
  const Instant instant = axis.instant(drawn::date(calendar));
  const Instant begin = boundaries.begin_of(instant);
  const Instant end = boundaries.end_of(instant);
  RC_ASSERT(begin < instant);
  RC_ASSERT(instant <= end);
  RC_ASSERT(boundaries.end_of(begin) == begin);
  RC_ASSERT(boundaries.end_of(begin + 1) == end);
  RC_ASSERT(boundaries.begin_of(begin + 1) == begin);
  RC_ASSERT(boundaries.end_of(end) == end);
  RC_ASSERT(boundaries.begin_of(end) == begin);
  RC_ASSERT(boundaries.begin_of(end + 1) == end);
  RC_ASSERT(boundaries.end_of(end + 1) > end);
}

RC_GTEST_PROP(Boundaries, HaveOneAtTheStartThatTheyAreCountedFrom, ()) {
  const Calendar calendar = drawn::calendar();
  const TimeAxis axis = drawn::axis(calendar);
  const Instant start = axis.instant(drawn::date(calendar));
  const Boundaries boundaries(axis, drawn_interval(), AlignedTo::start, start);
  RC_ASSERT(boundaries.end_of(start) == start);
}

// By day, month and year, whatever the units' reference date is.
RC_GTEST_PROP(Boundaries, OfTheCalendarDoNotDependOnTheUnits, ()) {
  const Calendar calendar = drawn::calendar();
  const TimeAxis one = drawn::axis(calendar);
  const TimeAxis other = drawn::axis(calendar);
  const std::string text =
      *rc::gen::element<std::string>("10 minutes", "1 hour", "1 day", "1 month", "1 season", "5 years");
  const Date date = drawn::date(calendar);
  const Boundaries of_one(one, parse_interval(text), AlignedTo::calendar, 0);
  const Boundaries of_other(other, parse_interval(text), AlignedTo::calendar, 0);
  RC_ASSERT(one.date(of_one.end_of(one.instant(date))) == other.date(of_other.end_of(other.instant(date))));
  RC_ASSERT(one.date(of_one.begin_of(one.instant(date))) == other.date(of_other.begin_of(other.instant(date))));
}

}  // namespace
}  // namespace weir
