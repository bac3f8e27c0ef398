// SPDX-License-Identifier: Apache-2.0
// Intervals as the configuration has them.
#include "calendar/interval.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "drawn.hpp"

namespace weir {
namespace {

using Unit = Interval::Unit;

TEST(Interval, IsReadAndWritten) {
  struct Known {
    std::string text;
    Interval interval;
    std::string words;
  };
  const std::int64_t minute = 60 * microseconds_a_second;
  const std::vector<Known> known{{"10 steps", {10, Unit::steps, false}, "10 steps"},
                                 {"step", {1, Unit::steps, false}, "1 step"},
                                 {"30 minutes", {30 * minute, Unit::microseconds, false}, "30 minutes"},
                                 {"30min", {30 * minute, Unit::microseconds, false}, "30 minutes"},
                                 {"90 s", {90 * microseconds_a_second, Unit::microseconds, false}, "90 seconds"},
                                 {"6 hours", {360 * minute, Unit::microseconds, false}, "6 hours"},
                                 {"6h", {360 * minute, Unit::microseconds, false}, "6 hours"},
                                 {"1 hr", {60 * minute, Unit::microseconds, false}, "1 hour"},
                                 {" 1  day ", {microseconds_a_day, Unit::microseconds, false}, "1 day"},
                                 {"24 hours", {microseconds_a_day, Unit::microseconds, false}, "1 day"},
                                 {"day", {microseconds_a_day, Unit::microseconds, false}, "1 day"},
                                 {"1d", {microseconds_a_day, Unit::microseconds, false}, "1 day"},
                                 {"5 days", {5 * microseconds_a_day, Unit::microseconds, false}, "5 days"},
                                 {"1 month", {1, Unit::months, false}, "1 month"},
                                 {"3 months", {3, Unit::months, false}, "3 months"},
                                 {"18 months", {18, Unit::months, false}, "18 months"},
                                 {"1 season", {3, Unit::months, true}, "1 season"},
                                 {"seasons", {3, Unit::months, true}, "1 season"},
                                 {"4 seasons", {12, Unit::months, true}, "4 seasons"},
                                 {"12 months", {12, Unit::months, false}, "1 year"},
                                 {"2 years", {24, Unit::months, false}, "2 years"},
                                 {"1000 years", {12'000, Unit::months, false}, "1000 years"}};
  for (const auto& [text, interval, words] : known) {
    EXPECT_EQ(parse_interval(text), interval) << text;
    EXPECT_EQ(in_words(interval), words);
    EXPECT_EQ(parse_interval(words), interval) << words;
  }
}

TEST(Interval, WhatIsNoneIsRefused) {
  const auto refusal = [](const std::string& text) {
    return drawn::refusal(WEIR_ECONFIG, [&] { parse_interval(text); });
  };
  EXPECT_EQ(refusal("0 days"), "\"0 days\" is no length of time; give at least 1 day");
  EXPECT_EQ(refusal("-3 months"), "\"-3 months\" is no length of time; give at least 1 month");
  EXPECT_EQ(refusal("1.5 days"), "\"1.5 days\": \"1.5\" is not a whole number; give one, of a smaller unit if need be");
  EXPECT_EQ(
      refusal("99999999999999999999 s"),
      "\"99999999999999999999 s\": \"99999999999999999999\" is not a whole number; give one, of a smaller unit if need "
      "be");
  EXPECT_EQ(refusal("3 mnths"), "\"3 mnths\": \"mnths\" is not a unit of intervals; did you mean \"months\"?");
  for (const std::string text : {"1 fortnight", "12", "1e3 days", ""})
    EXPECT_NE(refusal(text).find("is not a unit of intervals; give one of steps, seconds, minutes"), std::string::npos)
        << text;
  EXPECT_EQ(refusal("1001 years"), "\"1001 years\" is too long; give at most 1000 years");
  EXPECT_EQ(refusal("365001 days"), "\"365001 days\" is too long; give at most 365000 days");
  EXPECT_EQ(refusal("9223372036854775807 years"), "\"9223372036854775807 years\" is too long; give at most 1000 years");
}

TEST(Interval, LengthsCompareWhereTheyAreCertain) {
  const auto holds = [](const std::string& coarse, const std::string& fine) {
    return at_least_as_long(parse_interval(coarse), parse_interval(fine));
  };
  EXPECT_TRUE(holds("1 day", "24 hours"));
  EXPECT_FALSE(holds("23 hours", "1 day"));
  EXPECT_TRUE(holds("1 month", "28 days"));
  EXPECT_FALSE(holds("1 month", "29 days"));
  EXPECT_TRUE(holds("31 days", "1 month"));
  EXPECT_FALSE(holds("30 days", "1 month"));
  EXPECT_TRUE(holds("2 months", "59 days"));
  EXPECT_FALSE(holds("2 months", "60 days"));
  EXPECT_TRUE(holds("62 days", "2 months"));
  EXPECT_FALSE(holds("61 days", "2 months"));
  EXPECT_TRUE(holds("1 year", "360 days"));
  EXPECT_FALSE(holds("1 year", "361 days"));
  EXPECT_TRUE(holds("366 days", "1 year"));
  EXPECT_FALSE(holds("365 days", "1 year"));
  EXPECT_TRUE(holds("1 season", "3 months"));
  EXPECT_TRUE(holds("1 year", "4 seasons"));
  EXPECT_TRUE(holds("10 steps", "10 steps"));
  EXPECT_FALSE(holds("9 steps", "10 steps"));
  for (const std::string other : {"1 day", "1 month"}) {
    EXPECT_FALSE(holds("1000 steps", other));
    EXPECT_FALSE(holds(other, "1 step"));
  }
}

// No interval of months in any calendar is shorter than what at_least_as_long() relies on, or longer.
RC_GTEST_PROP(Interval, LengthsThatAreCertainHoldEverywhere, ()) {
  const Calendar calendar = drawn::calendar();
  const TimeAxis axis = drawn::axis(calendar);
  const Interval months{drawn::between(1, 40), Unit::months, false};
  const Boundaries boundaries(axis, months, *rc::gen::element(AlignedTo::calendar, AlignedTo::start),
                              axis.instant(drawn::date(calendar)));
  const Instant instant = axis.instant(drawn::date(calendar));
  const Instant begin = boundaries.begin_of(instant);
  const Instant end = boundaries.end_of(instant);
  RC_PRE(calendar != Calendar::standard || axis.date(end).year < 1582 || axis.date(begin).year > 1582);
  const Interval days{drawn::between(1, 1'300) * microseconds_a_day, Unit::microseconds, false};
  if (at_least_as_long(months, days)) RC_ASSERT(end - begin >= days.count);
  if (at_least_as_long(days, months)) RC_ASSERT(end - begin <= days.count);
}

}  // namespace
}  // namespace weir
