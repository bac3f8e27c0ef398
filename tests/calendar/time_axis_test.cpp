// SPDX-License-Identifier: Apache-2.0
// Times in CF's units, instants and dates.
#include "calendar/time_axis.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "drawn.hpp"

namespace weir {
namespace {

constexpr std::int64_t hour = 3'600 * microseconds_a_second;

RC_GTEST_PROP(TimeAxis, ADateIsThatOfItsInstant, ()) {
  const Calendar calendar = drawn::calendar();
  const TimeAxis axis = drawn::axis(calendar);
  const Date date = drawn::date(calendar);
  const Instant instant = axis.instant(date);
  RC_ASSERT(axis.date(instant) == date);
  RC_ASSERT(axis.instant_of(date) == instant);
  RC_ASSERT((axis.date(0) < date) == (instant > 0));
}

RC_GTEST_PROP(TimeAxis, AnInstantIsThatOfItsTimeWhereDoublesAreFineEnough, ()) {
  const TimeAxis axis = drawn::axis(drawn::calendar());
  const Instant instant = drawn::between(-(1LL << 51), 1LL << 51);  // 71 years
  RC_ASSERT(axis.instant(axis.time(instant)) == instant);
}

RC_GTEST_PROP(TimeAxis, WholeSecondsAreThoseOfTheirTimesHoweverFar, ()) {
  const TimeAxis axis = drawn::axis(drawn::calendar());
  const Instant instant = drawn::between(-100'000'000'000, 100'000'000'000) * microseconds_a_second;  // 3,000 years
  RC_ASSERT(axis.instant(axis.time(instant)) == instant);
}

// In long double, which has eleven more bits here: the nearest double is no further away than its neighbours.
RC_GTEST_PROP(TimeAxis, ATimeIsTheDoubleNearestToAnInstant, ()) {
  static_assert(std::numeric_limits<long double>::digits >= 64);
  const TimeAxis axis("days since 1990-01-01", "noleap");
  const Instant instant = *rc::gen::oneOf(rc::gen::inRange<Instant>(-(1LL << 62), 1LL << 62),
                                          rc::gen::inRange<Instant>(-(1LL << 40), 1LL << 40));
  const double time = axis.time(instant);
  const auto away = [&](double candidate) {
    const auto whole = instant / microseconds_a_day;
    const auto rest =
        static_cast<long double>(instant % microseconds_a_day) / static_cast<long double>(microseconds_a_day);
    return std::abs((static_cast<long double>(candidate) - static_cast<long double>(whole)) - rest);
  };
  RC_ASSERT(away(time) <= away(std::nextafter(time, HUGE_VAL)));
  RC_ASSERT(away(time) <= away(std::nextafter(time, -HUGE_VAL)));
}

TEST(TimeAxis, UnitsAreReadInAllSpellings) {
  const std::vector<std::pair<Instant, std::vector<std::string>>> spellings{
      {24 * hour, {"days", "day", "d", "Days", "DAY", "D"}},
      {hour, {"hours", "hour", "hrs", "hr", "h", "Hours"}},
      {60 * microseconds_a_second, {"minutes", "minute", "mins", "min"}},
      {microseconds_a_second, {"seconds", "second", "secs", "sec", "s", "SECONDS"}},
      {1'000, {"milliseconds", "millisecond", "millisecs", "millisec", "msecs", "msec", "ms"}},
      {1, {"microseconds", "microsecond", "microsecs", "microsec", "usec", "us", "\u00b5s"}}};
  for (const auto& [microseconds, words] : spellings) {
    for (const std::string& word : words) {
      for (const std::string since : {" since ", "  SINCE\t"}) {
        const std::string units = word + since + "1990-1-1";
        EXPECT_EQ(TimeAxis(units, "").instant(-7.0), -7 * microseconds) << units;
        EXPECT_EQ(TimeAxis(units, "").units(), words.front() + " since 1990-1-1");
      }
    }
  }
}

TEST(TimeAxis, ATimeZoneShiftsTheReference) {
  const auto reference = [](const std::string& date) {
    const TimeAxis axis("hours since " + date, "standard");
    return axis.in_words(0);
  };
  EXPECT_EQ(reference("1992-10-8 15:15:42.5 -6:00"), "1992-10-08 21:15:42.5");
  EXPECT_EQ(reference("1990-01-01 00:00:00 +2:00"), "1989-12-31 22:00:00");
  EXPECT_EQ(reference("1990-01-01 00:00:00 UTC"), "1990-01-01 00:00:00");
  EXPECT_EQ(reference("1990-01-01T00:00:00Z"), "1990-01-01 00:00:00");
  EXPECT_EQ(reference("1582-10-15 00:00:00 +1"), "1582-10-04 23:00:00");
}

TEST(TimeAxis, FilesHaveUnitsThatAllReadersReadAlike) {
  const auto units = [](const std::string& date) { return TimeAxis("hrs since " + date, "noleap").units(); };
  for (const std::string plain : {"1990-01-01", "1-1-1", "1990-1-1 6:30", "1990-01-01T06:30:15.25", "-0005-01-01"})
    EXPECT_EQ(units(plain), "hours since " + plain);
  EXPECT_EQ(units("1990"), "hours since 1990-01-01 00:00:00");
  EXPECT_EQ(units("1990-02"), "hours since 1990-02-01 00:00:00");
  EXPECT_EQ(units("1990-01-01 6"), "hours since 1990-01-01 06:00:00");
  EXPECT_EQ(units("1990-01-01t06:00"), "hours since 1990-01-01 06:00:00");
  EXPECT_EQ(units("1990-01-01 06:00 UT"), "hours since 1990-01-01 06:00:00");
  EXPECT_EQ(units("1990-01-01 06:00:00.5 +2:00"), "hours since 1990-01-01 04:00:00.5");
}

TEST(TimeAxis, CalendarsAreReadByAllTheirNames) {
  const std::vector<std::pair<std::string, Calendar>> known{
      {"", Calendar::standard},          {"standard", Calendar::standard},
      {"gregorian", Calendar::standard}, {"proleptic_gregorian", Calendar::proleptic_gregorian},
      {"julian", Calendar::julian},      {"JULIAN", Calendar::julian},
      {"noleap", Calendar::noleap},      {"365_day", Calendar::noleap},
      {"all_leap", Calendar::all_leap},  {"366_day", Calendar::all_leap},
      {"360_day", Calendar::day_360}};
  for (const auto& [word, calendar] : known)
    EXPECT_EQ(TimeAxis("days since 2000-01-01", word).calendar(), calendar) << word;
  for (const Calendar calendar : drawn::all_calendars)
    EXPECT_EQ(TimeAxis("days since 2000-01-01", name(calendar)).calendar(), calendar);
}

TEST(TimeAxis, WhatIsNotCfIsRefusedWithTheNearestWord) {
  const auto refusal = [](const std::string& units, const std::string& calendar) {
    return drawn::refusal(WEIR_EARGUMENT, [&] { TimeAxis(units, calendar); });
  };
  EXPECT_EQ(refusal("dys since 1990-01-01", ""),
            "time units \"dys since 1990-01-01\": \"dys\" is not a unit of time; did you mean \"days\"?");
  EXPECT_EQ(refusal("weeks since 1990-01-01", ""),
            "time units \"weeks since 1990-01-01\": \"weeks\" is not a unit of time; give one of days, hours, minutes, "
            "seconds, milliseconds, microseconds");
  for (const std::string uneven : {"months", "Years", "yr", "common_years"}) {
    EXPECT_EQ(refusal(uneven + " since 1990-01-01", ""), "time units \"" + uneven + " since 1990-01-01\": " + uneven +
                                                             " have no fixed length; count in days or hours");
  }
  for (const std::string units : {"", "days", "days since", "days snce 1990-01-01", "1990-01-01"}) {
    EXPECT_EQ(refusal(units, ""), "time units \"" + units +
                                      "\" are not a unit, \"since\" and a date; write them as \"hours since 1990-01-01 "
                                      "00:00:00\"");
  }
  EXPECT_EQ(
      refusal("days since 1990-02-30", "noleap"),
      "time units \"days since 1990-02-30\": 1990-02-30 does not exist in the calendar noleap, whose 1990-02 has 28 "
      "days");
  EXPECT_EQ(refusal("days since 1990-02-30", "360_day"), "");
  EXPECT_EQ(
      refusal("days since -4712-01-01", "julian"),
      "time units \"days since -4712-01-01\": in the calendar julian, readers of files do not agree on whether there "
      "is a year 0; count from year 1 or later");
  EXPECT_NE(refusal("days since 0000-01-01", ""), "");
  EXPECT_EQ(refusal("days since 0000-01-01", "proleptic_gregorian"), "");
  EXPECT_EQ(refusal("days since 1990-01-01", "no_leap"),
            "\"no_leap\" is not a calendar of CF's: did you mean \"noleap\"?");
  EXPECT_EQ(refusal("days since 1990-01-01", "tai"),
            "\"tai\" is not a calendar of CF's: give one of standard, gregorian, proleptic_gregorian, julian, noleap, "
            "365_day, all_leap, 366_day, 360_day");
}

TEST(TimeAxis, TimesAreRoundedToMicroseconds) {
  const TimeAxis seconds("seconds since 1990-01-01", "");
  EXPECT_EQ(seconds.instant(1.2345674), 1'234'567);
  EXPECT_EQ(seconds.instant(1.2345676), 1'234'568);
  EXPECT_EQ(seconds.instant(-1.2345676), -1'234'568);
  EXPECT_EQ(seconds.instant(-0.0), 0);
  EXPECT_EQ(seconds.instant(5e-324), 0);
  const TimeAxis microseconds("microseconds since 1990-01-01", "");
  EXPECT_EQ(microseconds.instant(9'007'199'254'740'991.0), 9'007'199'254'740'991);
}

// Twenty minutes are no whole number of days as a double, and a double in days since the year 1 is up to 5 microseconds
// off: all the same, such times are whole seconds.
TEST(TimeAxis, StepsInDaysAreWholeSeconds) {
  for (const std::string reference : {"0001-01-01", "1850-01-01", "1990-01-01"}) {
    const TimeAxis axis("days since " + reference, "proleptic_gregorian");
    const Instant start = axis.instant(Date{.year = 1990});
    for (int step = 0; step < 100'000; ++step) {
      const Instant instant = start + step * 1'200 * microseconds_a_second;
      ASSERT_EQ(axis.instant(static_cast<double>(instant / microseconds_a_day) +
                             static_cast<double>(instant % microseconds_a_day / 1'200'000'000) / 72),
                instant)
          << step;
    }
  }
}

TEST(TimeAxis, WhatIsTooFarIsRefused) {
  const TimeAxis axis("days since 1990-01-01", "");
  EXPECT_EQ(drawn::refusal(WEIR_EARGUMENT, [&] { axis.instant(std::nan("")); }),
            "the time nan is not a number; give it in \"days since 1990-01-01\"");
  EXPECT_NE(drawn::refusal(WEIR_EARGUMENT, [&] { axis.instant(HUGE_VAL); }), "");
  EXPECT_EQ(
      drawn::refusal(WEIR_EARGUMENT, [&] { axis.instant(-2e8); }),
      "the time -200000000 days since 1990-01-01 is -200000000 days from the units' reference date, and 105922500 "
      "are the most");
  EXPECT_EQ(axis.date(axis.instant(105'922'500.0)).year, 291'995);
  for (const std::int64_t year :
       {-400'000L, 400'000L, std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
    EXPECT_NE(drawn::refusal(WEIR_EARGUMENT, [&] { axis.instant(Date{.year = year}); }), "") << year;
  }
  EXPECT_EQ(drawn::refusal(WEIR_EARGUMENT, [&] { axis.instant(Date{.microsecond = microseconds_a_day}); }),
            "0001-01-01 has no microsecond 86400000000: a day has 86400000000");
  EXPECT_EQ(drawn::refusal(WEIR_EARGUMENT, [&] { axis.instant(Date{.year = 1990, .month = 2, .day = 29}); }),
            "1990-02-29 does not exist in the calendar standard, whose 1990-02 has 28 days");
}

TEST(TimeAxis, InstantsAreShownAsDates) {
  const TimeAxis axis("days since 0000-01-01", "noleap");
  EXPECT_EQ(axis.in_words(axis.instant(Date{.year = 1990, .month = 1, .day = 31, .microsecond = 6 * hour})),
            "1990-01-31 06:00:00");
  EXPECT_EQ(axis.in_words(axis.instant(Date{.year = 1990}) + 1), "1990-01-01 00:00:00.000001");
  EXPECT_EQ(axis.in_words(-500'000), "-0001-12-31 23:59:59.5");
}

}  // namespace
}  // namespace weir
