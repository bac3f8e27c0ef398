// SPDX-License-Identifier: Apache-2.0
// Days and dates of the six calendars.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "drawn.hpp"

namespace weir {
namespace {

// The day after a date, by the lengths of months alone.
Date day_after(Calendar calendar, Date date) {
  if (calendar == Calendar::standard && date == Date{.year = 1582, .month = 10, .day = 4}) {
    date.day = 15;
  } else if (date.day < days_in_month(calendar, date.year, date.month)) {
    ++date.day;
  } else if (date.day = 1; date.month < 12) {
    ++date.month;
  } else {
    date.month = 1;
    ++date.year;
  }
  return date;
}

TEST(Calendar, DaysFollowEachOtherThroughTwoThousandYearsAndYearZero) {
  for (const Calendar calendar : drawn::all_calendars) {
    SCOPED_TRACE(name(calendar));
    Date date{.year = -5};
    const std::int64_t first = day_number(calendar, date);
    for (std::int64_t day = first; date.year < 2005; ++day, date = day_after(calendar, date)) {
      ASSERT_EQ(day_number(calendar, date), day);
      ASSERT_EQ(date_of_day(calendar, day), date) << day;
    }
    EXPECT_EQ(day_number(calendar, {}), 0);
  }
}

RC_GTEST_PROP(Calendar, ADateIsThatOfItsNumber, ()) {
  const Calendar calendar = drawn::calendar();
  Date date = drawn::date(calendar);
  date.microsecond = 0;
  const std::int64_t day = day_number(calendar, date);
  RC_ASSERT(date_of_day(calendar, day) == date);
  RC_ASSERT(date_of_day(calendar, day + 1) == day_after(calendar, date));
}

TEST(Calendar, FebruaryIsAsLongAsEachCalendarHasIt) {
  struct February {
    std::int64_t year;
    std::vector<int> days;  // as all_calendars
  };
  const std::vector<February> known{{2000, {29, 29, 29, 28, 29, 30}}, {1900, {28, 28, 29, 28, 29, 30}},
                                    {1904, {29, 29, 29, 28, 29, 30}}, {1500, {29, 28, 29, 28, 29, 30}},
                                    {2001, {28, 28, 28, 28, 29, 30}}, {0, {29, 29, 29, 28, 29, 30}},
                                    {-4, {29, 29, 29, 28, 29, 30}},   {-100, {29, 28, 29, 28, 29, 30}}};
  for (const auto& [year, days] : known) {
    for (std::size_t i = 0; i < days.size(); ++i)
      EXPECT_EQ(days_in_month(drawn::all_calendars[i], year, 2), days[i]) << year << name(drawn::all_calendars[i]);
  }
}

TEST(Calendar, StandardLeavesOutTenDays) {
  const Date last{.year = 1582, .month = 10, .day = 4};
  const Date next{.year = 1582, .month = 10, .day = 15};
  EXPECT_EQ(day_number(Calendar::standard, next), day_number(Calendar::standard, last) + 1);
  EXPECT_FALSE(is_left_out(Calendar::standard, last));
  EXPECT_FALSE(is_left_out(Calendar::standard, next));
  for (int day = 5; day < 15; ++day) {
    EXPECT_TRUE(is_left_out(Calendar::standard, {.year = 1582, .month = 10, .day = day}));
    EXPECT_FALSE(is_left_out(Calendar::proleptic_gregorian, {.year = 1582, .month = 10, .day = day}));
  }
}

TEST(Calendar, ADateIsReadInEverySpelling) {
  const std::vector<std::pair<std::string, Date>> spellings{
      {"1990-01-02", {1990, 1, 2, 0}},
      {"1990-1-2", {1990, 1, 2, 0}},
      {"  1990-1-2 ", {1990, 1, 2, 0}},
      {"1990-01", {1990, 1, 1, 0}},
      {"1990", {1990, 1, 1, 0}},
      {"1-1-1", {1, 1, 1, 0}},
      {"-0005-01-02", {-5, 1, 2, 0}},
      {"+12345-01-02", {12345, 1, 2, 0}},
      {"1990-01-02 6", {1990, 1, 2, 6 * 3'600'000'000}},
      {"1990-01-02 6:30", {1990, 1, 2, 23'400'000'000}},
      {"1990-01-02T06:30:15", {1990, 1, 2, 23'415'000'000}},
      {"1990-01-02T06:30:15.25Z", {1990, 1, 2, 23'415'250'000}},
      {"1990-01-02 06:30:15.0000004", {1990, 1, 2, 23'415'000'000}},
      {"1990-01-02 06:30:15.0000005", {1990, 1, 2, 23'415'000'001}},
      {"1990-12-31 23:59:59.9999999", {1991, 1, 1, 0}},
      {"1990-01-02 06:30 UTC", {1990, 1, 2, 23'400'000'000}},
      {"1990-01-02 06:30 gmt", {1990, 1, 2, 23'400'000'000}},
      {"1990-01-02 06:30 +2:00", {1990, 1, 2, 16'200'000'000}},
      {"1990-01-02 06:30+02", {1990, 1, 2, 16'200'000'000}},
      {"1990-01-02 06:30 2:00", {1990, 1, 2, 16'200'000'000}},
      {"1990-01-02 06:30 +0200", {1990, 1, 2, 16'200'000'000}},
      {"1990-01-02 06:30 -2:30", {1990, 1, 2, 32'400'000'000}},
      {"1990-01-02 06:30 -230", {1990, 1, 2, 32'400'000'000}},
      {"1990-01-01 01:00 +2:00", {1989, 12, 31, 82'800'000'000}},
      {"1990-01-01 -01", {1990, 1, 1, 3'600'000'000}},
      {"1990-01-01Z", {1990, 1, 1, 0}},
  };
  for (const auto& [text, date] : spellings) EXPECT_EQ(parse_date(Calendar::noleap, text), date) << text;
}

TEST(Calendar, WhatIsNoDateIsRefused) {
  for (const std::string text :
       {"", "x", "1990-", "1990-01-", "1990-01-02 25:00", "1990-01-02 12:60", "1990-01-02 12:00:60",
        "1990-01-02 12:00 +x", "1990-01-02 12:00 UTC+1", "19900102", "1990-01-02 12:00:00 Q", "1990-001-02",
        "1990/01/02", "1234567-01-01", "1990-01-02 12:", "--1990-01-01"}) {
    EXPECT_NE(drawn::refusal(WEIR_EARGUMENT, [&] { parse_date(Calendar::standard, text); })
                  .find("is not a date; write it as"),
              std::string::npos)
        << text;
  }
}

TEST(Calendar, WhatDoesNotExistInACalendarIsRefused) {
  const auto refusal = [](Calendar calendar, const std::string& text) {
    return drawn::refusal(WEIR_EARGUMENT, [&] { parse_date(calendar, text); });
  };
  EXPECT_EQ(refusal(Calendar::standard, "1990-02-30"),
            "1990-02-30 does not exist in the calendar standard, whose 1990-02 has 28 days");
  EXPECT_EQ(refusal(Calendar::day_360, "1990-01-31"),
            "1990-01-31 does not exist in the calendar 360_day, whose 1990-01 has 30 days");
  EXPECT_EQ(refusal(Calendar::day_360, "1990-02-30"), "");
  EXPECT_EQ(refusal(Calendar::noleap, "2000-02-29"),
            "2000-02-29 does not exist in the calendar noleap, whose 2000-02 has 28 days");
  EXPECT_EQ(refusal(Calendar::all_leap, "2001-02-29"), "");
  EXPECT_EQ(refusal(Calendar::julian, "1900-02-29"), "");
  EXPECT_EQ(refusal(Calendar::standard, "1990-13-01"), "1990-13 does not exist: months are 01 to 12");
  EXPECT_EQ(refusal(Calendar::standard, "1990-00-01"), "1990-00 does not exist: months are 01 to 12");
  EXPECT_NE(refusal(Calendar::standard, "1990-01-00"), "");
  EXPECT_EQ(refusal(Calendar::standard, "1582-10-10"),
            "1582-10-10 does not exist in the calendar standard, in which 1582-10-15 follows 1582-10-04; the calendar "
            "proleptic_gregorian has it");
  EXPECT_EQ(refusal(Calendar::julian, "1582-10-10"), "");
}

}  // namespace
}  // namespace weir
