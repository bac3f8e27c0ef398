// SPDX-License-Identifier: Apache-2.0
#include "calendar/interval.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace weir {
namespace {

// A unit of intervals: its spellings, the first being the singular that in_words() writes.
struct IntervalUnit {
  std::string_view singular, plural;
  Interval one;
};

using enum Interval::Unit;
constexpr std::array<IntervalUnit, 8> interval_units{{
    {"step", "steps", {1, steps, false}},
    {"second", "seconds", {microseconds_a_second, microseconds, false}},
    {"minute", "minutes", {60 * microseconds_a_second, microseconds, false}},
    {"hour", "hours", {3'600 * microseconds_a_second, microseconds, false}},
    {"day", "days", {microseconds_a_day, microseconds, false}},
    {"month", "months", {1, months, false}},
    {"season", "seasons", {3, months, true}},
    {"year", "years", {12, months, false}},
}};
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> short_units{{
    {"s", "second"},
    {"sec", "second"},
    {"secs", "second"},
    {"min", "minute"},
    {"mins", "minute"},
    {"h", "hour"},
    {"hr", "hour"},
    {"d", "day"},
}};

const IntervalUnit* find_unit(std::string_view word) noexcept {
  for (const auto& [short_word, singular] : short_units)
    if (short_word == word) word = singular;
  for (const IntervalUnit& unit : interval_units)
    if (unit.singular == word || unit.plural == word) return &unit;
  return nullptr;
}

const IntervalUnit& interval_unit(std::string_view text, std::string_view word) {
  if (const IntervalUnit* unit = find_unit(word)) return *unit;
  std::vector<std::string_view> known;
  std::vector<std::string_view> plurals;
  for (const IntervalUnit& unit : interval_units) {
    known.insert(known.end(), {unit.plural, unit.singular});
    plurals.push_back(unit.plural);
  }
  const auto nearest = nearest_word(word, known);
  throw Error(WEIR_ECONFIG, "\"{}\": \"{}\" is not a unit of intervals; {}", text, word,
              nearest ? formatted("did you mean \"{}\"?", *nearest) : formatted("give one of {}", join_words(plurals)));
}

std::int64_t longest(Interval::Unit unit) noexcept {
  switch (unit) {
    case microseconds:
      return longest_interval_years * 365 * microseconds_a_day;
    case months:
      return longest_interval_years * 12;
    case steps:
      break;
  }
  return 1'000'000'000'000;
}

// The days that so many months have where they have fewest (28 in February; 360 in a year of 12 equal months), and
// where they have most (in a leap year of all_leap).
std::int64_t days_of_months(std::int64_t count, bool most) noexcept {
  const Calendar calendar = most ? Calendar::all_leap : Calendar::noleap;
  std::int64_t days = most ? 0 : count * 30;
  for (std::int64_t first = 0; first < 12; ++first) {
    const std::int64_t end = first + count;
    const auto number = day_number(calendar, {.year = end / 12, .month = static_cast<int>(end % 12) + 1}) -
                        day_number(calendar, {.year = 0, .month = static_cast<int>(first) + 1});
    days = most ? std::max(days, number) : std::min(days, number);
  }
  return days;
}

}  // namespace

Interval parse_interval(std::string_view text) {
  const std::string_view whole = trimmed(text);
  const auto unit_begin = std::min(whole.find_first_not_of("+-0123456789.,_ "), whole.size());
  const std::string_view number = trimmed(whole.substr(0, unit_begin));
  const IntervalUnit& unit = interval_unit(whole, whole.substr(unit_begin));
  const auto count = number.empty() ? std::optional<std::int64_t>(1) : parse_whole(number);
  require(count.has_value(), WEIR_ECONFIG,
          "\"{}\": \"{}\" is not a whole number; give one, of a smaller unit if need be", whole, number);
  require(*count >= 1, WEIR_ECONFIG, "\"{}\" is no length of time; give at least 1 {}", whole, unit.singular);
  const std::int64_t most = longest(unit.one.unit) / unit.one.count;
  require(*count <= most, WEIR_ECONFIG, "\"{}\" is too long; give at most {} {}", whole, most, unit.plural);
  Interval interval = unit.one;
  interval.count *= *count;
  return interval;
}

std::string in_words(const Interval& interval) {
  const IntervalUnit* largest = nullptr;
  for (const IntervalUnit& unit : interval_units) {
    const Interval& one = unit.one;
    if (one.unit == interval.unit && one.season == interval.season && interval.count % one.count == 0) largest = &unit;
  }
  if (largest == nullptr) return formatted("{} microseconds", interval.count);
  const std::int64_t count = interval.count / largest->one.count;
  return formatted("{} {}", count, count == 1 ? largest->singular : largest->plural);
}

bool at_least_as_long(const Interval& coarse, const Interval& fine) noexcept {
  if (coarse.unit == fine.unit) return coarse.count >= fine.count;
  if (coarse.unit == months && fine.unit == microseconds)
    return days_of_months(coarse.count, false) * microseconds_a_day >= fine.count;
  if (coarse.unit == microseconds && fine.unit == months)
    return coarse.count >= days_of_months(fine.count, true) * microseconds_a_day;
  return false;
}

}  // namespace weir
