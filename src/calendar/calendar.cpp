// SPDX-License-Identifier: Apache-2.0
// Days are counted in years that begin in March, so that a leap day is the last day of its year. From March on, months
// have 31 and 30 days in turn, and two of 31 follow each other after five months: 153 days.
#include <array>

#include "calendar/time_axis.hpp"
#include "calendar/whole_division.hpp"

namespace weir {
namespace {

constexpr std::int64_t days_from_march_to_january = 306;
constexpr std::int64_t days_of_five_months = 153;

// The last day of the Julian part of `standard`, and the first of its Gregorian part, which follows it.
constexpr Date last_julian{.year = 1582, .month = 10, .day = 4};
constexpr Date first_gregorian{.year = 1582, .month = 10, .day = 15};

// Days from 1 March of year 0 to 1 March of a year; and how long a year is on average, as a fraction.
struct YearRule {
  std::int64_t (*days_before)(std::int64_t year);
  std::int64_t days_a_cycle, years_a_cycle;
};

constexpr YearRule gregorian{
    [](std::int64_t year) { return 365 * year + whole_part(year, 4) - whole_part(year, 100) + whole_part(year, 400); },
    146'097, 400};
constexpr YearRule julian{[](std::int64_t year) { return 365 * year + whole_part(year, 4); }, 1'461, 4};
constexpr YearRule noleap{[](std::int64_t year) { return 365 * year; }, 365, 1};
constexpr YearRule all_leap{[](std::int64_t year) { return 366 * year; }, 366, 1};

template <const YearRule& rule>
constexpr std::int64_t number_of(const Date& date) noexcept {
  const std::int64_t year = date.month > 2 ? date.year : date.year - 1;
  const int months_from_march = date.month > 2 ? date.month - 3 : date.month + 9;
  const std::int64_t day_of_year = (days_of_five_months * months_from_march + 2) / 5 + date.day - 1;
  return rule.days_before(year) + day_of_year - days_from_march_to_january;
}

template <const YearRule& rule>
constexpr Date date_of(std::int64_t number) noexcept {
  const std::int64_t day = number + days_from_march_to_january;
  std::int64_t year = whole_part(day * rule.years_a_cycle, rule.days_a_cycle);  // or the year before or after
  if (rule.days_before(year) > day) --year;
  if (rule.days_before(year + 1) <= day) ++year;
  const std::int64_t day_of_year = day - rule.days_before(year);
  const std::int64_t months_from_march = (5 * day_of_year + 2) / days_of_five_months;
  const bool of_next = months_from_march >= 10;  // January and February
  return {.year = year + (of_next ? 1 : 0),
          .month = static_cast<int>(months_from_march + (of_next ? -9 : 3)),
          .day = static_cast<int>(day_of_year - (days_of_five_months * months_from_march + 2) / 5 + 1)};
}

constexpr std::int64_t switch_number = number_of<julian>(last_julian) + 1;
constexpr std::int64_t julian_lead = switch_number - number_of<gregorian>(first_gregorian);
static_assert(julian_lead == 2);

bool is_leap(Calendar calendar, std::int64_t year) noexcept {
  switch (calendar) {
    case Calendar::noleap:
      return false;
    case Calendar::all_leap:
      return true;
    case Calendar::standard:
      if (year >= first_gregorian.year) break;
      [[fallthrough]];
    case Calendar::julian:
      return year % 4 == 0;
    case Calendar::proleptic_gregorian:
    case Calendar::day_360:
      break;
  }
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

}  // namespace

std::string_view name(Calendar calendar) noexcept {
  switch (calendar) {
    case Calendar::standard:
      return "standard";
    case Calendar::proleptic_gregorian:
      return "proleptic_gregorian";
    case Calendar::julian:
      return "julian";
    case Calendar::noleap:
      return "noleap";
    case Calendar::all_leap:
      return "all_leap";
    case Calendar::day_360:
      break;
  }
  return "360_day";
}

int days_in_month(Calendar calendar, std::int64_t year, int month) noexcept {
  constexpr std::array<int, 12> days{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (calendar == Calendar::day_360) return 30;
  if (month == 2 && is_leap(calendar, year)) return 29;
  return days[static_cast<std::size_t>(month - 1)];
}

bool is_left_out(Calendar calendar, const Date& date) noexcept {
  return calendar == Calendar::standard && date.year == last_julian.year && date.month == last_julian.month &&
         date.day > last_julian.day && date.day < first_gregorian.day;
}

std::int64_t day_number(Calendar calendar, const Date& date) noexcept {
  switch (calendar) {
    case Calendar::standard:
      return date >= first_gregorian ? number_of<gregorian>(date) + julian_lead : number_of<julian>(date);
    case Calendar::proleptic_gregorian:
      return number_of<gregorian>(date);
    case Calendar::julian:
      return number_of<julian>(date);
    case Calendar::noleap:
      return number_of<noleap>(date);
    case Calendar::all_leap:
      return number_of<all_leap>(date);
    case Calendar::day_360:
      break;
  }
  return (date.year - 1) * 360 + (date.month - 1) * 30 + date.day - 1;
}

Date date_of_day(Calendar calendar, std::int64_t day) noexcept {
  switch (calendar) {
    case Calendar::standard:
      return day >= switch_number ? date_of<gregorian>(day - julian_lead) : date_of<julian>(day);
    case Calendar::proleptic_gregorian:
      return date_of<gregorian>(day);
    case Calendar::julian:
      return date_of<julian>(day);
    case Calendar::noleap:
      return date_of<noleap>(day);
    case Calendar::all_leap:
      return date_of<all_leap>(day);
    case Calendar::day_360:
      break;
  }
  const std::int64_t day_of_year = remainder_of(day, 360);
  return {.year = whole_part(day, 360) + 1,
          .month = static_cast<int>(day_of_year / 30) + 1,
          .day = static_cast<int>(day_of_year % 30) + 1};
}

}  // namespace weir
