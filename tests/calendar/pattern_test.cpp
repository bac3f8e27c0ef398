// SPDX-License-Identifier: Apache-2.0
// Names of files with a date or a field in them.
#include <gtest/gtest.h>

#include <string>

#include "calendar/interval.hpp"
#include "drawn.hpp"

namespace weir {
namespace {

std::string expanded(const std::string& pattern, const Date& date = {1990, 3, 1, 23'415'250'000}) {
  const TimeAxis axis("hours since 1990-01-01", "noleap");
  return expand_pattern(pattern, axis, axis.instant(date), "sst");
}

TEST(Pattern, WordsInBracesAreReplaced) {
  EXPECT_EQ(expanded("ocean.nc"), "ocean.nc");
  EXPECT_EQ(expanded(""), "");
  EXPECT_EQ(expanded("ocean_{time:%Y-%m}.nc"), "ocean_1990-03.nc");
  EXPECT_EQ(expanded("{time:%Y}/{field}_{time:%d}.nc"), "1990/sst_01.nc");
  EXPECT_EQ(expanded("{time}"), "19900301T063015");
  EXPECT_EQ(expanded("{time:%Y%m%d %H:%M:%S %j 100%%}"), "19900301 06:30:15 060 100%");
  EXPECT_EQ(expanded("100%Y{field}"), "100%Ysst") << "outside of braces, nothing is replaced";
  EXPECT_EQ(expanded("{time:day %j}", {2001, 12, 31, 0}), "day 365");
  EXPECT_EQ(expanded("{time:%Y}", {-5, 1, 1, 0}), "-0005");
  EXPECT_EQ(expanded("{time:%Y}", {12345, 1, 1, 0}), "12345");
}

TEST(Pattern, WhatIsNotKnownIsRefused) {
  const auto refusal = [](const std::string& pattern) {
    return drawn::refusal(WEIR_EARGUMENT, [&] { expanded(pattern); });
  };
  EXPECT_EQ(refusal("a_{tme:%Y}.nc"), "\"a_{tme:%Y}.nc\": {tme:%Y} is not known; did you mean {time}?");
  EXPECT_EQ(refusal("{fields}"), "\"{fields}\": {fields} is not known; did you mean {field}?");
  for (const std::string word : {"", "rank", "time:", "field:%Y"}) {
    EXPECT_EQ(refusal("{" + word + "}"),
              "\"{" + word + "}\": {" + word + "} is not known; give {time}, {time:%Y-%m}, {end:%Y-%m} or {field}");
  }
  for (const std::string pattern : {"a{", "a}", "{time:%Y", "{{field}}", "}{", "{time:{field}}"})
    EXPECT_EQ(refusal(pattern), "\"" + pattern + "\": a brace is without its other one");
  EXPECT_EQ(refusal("{time:%q}"),
            "\"{time:%q}\": %q is not known; the parts of a date are %Y, %m, %d, %H, %M, %S and %j");
  EXPECT_EQ(refusal("{time:%Y%}"), "\"{time:%Y%}\": a letter is missing behind the last %");
}

TEST(Pattern, GivesItsDateBack) {
  const TimeAxis axis("hours since 1990-01-01", "noleap");
  const auto found = [&](const std::string& text, const std::string& pattern) {
    const auto instant = instant_in(text, pattern, axis);
    return instant ? axis.in_words(*instant) : "none";
  };
  EXPECT_EQ(found("ocean_1990-03.nc", "ocean_{time:%Y-%m}.nc"), "1990-03-01 00:00:00");
  EXPECT_EQ(found("a/1990/b_060.nc", "a/{time:%Y}/b_{time:%j}.nc"), "1990-03-01 00:00:00");
  EXPECT_EQ(found("19900301T063015%", "{time}{time:%%}"), "1990-03-01 06:30:15");
  for (const std::string other : {"ocean_1990-13.nc", "ocean_1990-3.nc", "ocean_1990-+3.nc", "ocean_1990-03.nc.old",
                                  "sea_1990-03.nc", "ocean_19900-03.nc", "", "ocean_"})
    EXPECT_EQ(found(other, "ocean_{time:%Y-%m}.nc"), "none") << other;
  EXPECT_EQ(found("1990-02-29", "{time:%Y-%m-%d}"), "none") << "no date of this calendar";
  EXPECT_EQ(found("03.nc", "{time:%m}.nc"), "none") << "no year";
  EXPECT_EQ(found("1990_01.nc", "{time:%Y}_{time:%d}.nc"), "none") << "no month";
  EXPECT_EQ(found("1990_1991", "{time:%Y}_{time:%Y}"), "none") << "two dates";
}

TEST(Pattern, NamesTheLastSecondOfWhatBegins) {
  const TimeAxis axis("hours since 1990-01-01", "noleap");
  const Boundaries decades(axis, parse_interval("10 years"), AlignedTo::calendar, 0);
  const EndOf end_of = ends_of(std::optional(decades));
  const std::string pattern = "tas_{time:%Y%m}-{end:%Y%m}.nc";
  const Instant begin = axis.instant(Date{1990, 1, 1, 0});
  EXPECT_EQ(expand_pattern(pattern, axis, begin, "", end_of), "tas_199001-199912.nc");
  EXPECT_EQ(expand_pattern("{end}", axis, begin, "", end_of), "19991231T235959");
  EXPECT_EQ(instant_in("tas_199001-199912.nc", pattern, axis, end_of), begin);
  EXPECT_FALSE(instant_in("tas_199001-199911.nc", pattern, axis, end_of)) << "no file of ten years";
  EXPECT_FALSE(instant_in("tas_199001-19991.nc", pattern, axis, end_of));
  EXPECT_EQ(
      drawn::refusal(WEIR_EARGUMENT, [&] { expand_pattern("{end:%Y}.nc", axis, begin, ""); }),
      "\"{end:%Y}.nc\": {end:%Y} is for files that end with an interval; give split: 1 month or another interval, "
      "or leave it out");
}

TEST(Pattern, TellsWhatItHas) {
  EXPECT_TRUE(has_time("a_{time}.nc"));
  EXPECT_TRUE(has_time("{field}_{time:%Y}.nc"));
  EXPECT_FALSE(has_time("{field}.nc"));
  EXPECT_FALSE(has_time("time:%Y.nc"));
  EXPECT_FALSE(has_time("{timed}"));
  EXPECT_TRUE(has_field("{time:%Y}/{field}.nc"));
  EXPECT_FALSE(has_field("{time:%Y}/field.nc"));
  EXPECT_FALSE(has_field(""));
}

}  // namespace
}  // namespace weir
