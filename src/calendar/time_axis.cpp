// SPDX-License-Identifier: Apache-2.0
#include "calendar/time_axis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "calendar/date_text.hpp"
#include "calendar/whole_division.hpp"

namespace weir {
namespace {

// 290,000 years of 365.25 days, so that an instant has room for another 2,000 years.
constexpr std::int64_t most_days = 105'922'500;
constexpr Instant farthest = most_days * microseconds_a_day;
constexpr double farthest_clear = 0x1p52;  // microseconds; nearer doubles are at most a microsecond apart, in any unit
constexpr std::int64_t farthest_year = 1'000'000;  // whose days can be counted in any calendar

constexpr std::array<std::pair<std::string_view, Calendar>, 9> calendars{{
    {"standard", Calendar::standard},
    {"gregorian", Calendar::standard},
    {"proleptic_gregorian", Calendar::proleptic_gregorian},
    {"julian", Calendar::julian},
    {"noleap", Calendar::noleap},
    {"365_day", Calendar::noleap},
    {"all_leap", Calendar::all_leap},
    {"366_day", Calendar::all_leap},
    {"360_day", Calendar::day_360},
}};

constexpr Instant a_minute = 60 * microseconds_a_second;
constexpr Instant an_hour = 60 * a_minute;
// The first spelling of each unit is the one that sentences show and files have. cftime knows more spellings than
// udunits: hrs, mins, millisecs.
constexpr std::array<std::pair<std::string_view, Instant>, 31> time_units{{
    {"days", microseconds_a_day},
    {"hours", an_hour},
    {"minutes", a_minute},
    {"seconds", microseconds_a_second},
    {"milliseconds", 1'000},
    {"microseconds", 1},
    {"day", microseconds_a_day},
    {"d", microseconds_a_day},
    {"hour", an_hour},
    {"hr", an_hour},
    {"hrs", an_hour},
    {"h", an_hour},
    {"minute", a_minute},
    {"min", a_minute},
    {"mins", a_minute},
    {"second", microseconds_a_second},
    {"sec", microseconds_a_second},
    {"secs", microseconds_a_second},
    {"s", microseconds_a_second},
    {"millisecond", 1'000},
    {"millisec", 1'000},
    {"millisecs", 1'000},
    {"msec", 1'000},
    {"msecs", 1'000},
    {"ms", 1'000},
    {"microsecond", 1},
    {"microsec", 1},
    {"microsecs", 1},
    {"usec", 1},
    {"us", 1},
    {"\u00b5s", 1},
}};
constexpr std::size_t shown_units = 6;

template <class Value, std::size_t n>
std::vector<std::string_view> words_of(const std::array<std::pair<std::string_view, Value>, n>& table) {
  std::vector<std::string_view> words;
  for (const auto& entry : table) words.push_back(entry.first);
  return words;
}

template <class Value, std::size_t n>
const Value* find_word(const std::array<std::pair<std::string_view, Value>, n>& table, std::string_view word) {
  for (const auto& [known, value] : table)
    if (known == word) return &value;
  return nullptr;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> known,
                         std::span<const std::string_view> shown) {
  if (const auto nearest = nearest_word(word, known)) return formatted("did you mean \"{}\"?", *nearest);
  return formatted("give one of {}", join_words(shown));
}

Calendar calendar_of(std::string_view text) {
  const std::string word = in_small_letters(trimmed(text));
  if (word.empty()) return Calendar::standard;
  if (const Calendar* calendar = find_word(calendars, word)) return *calendar;
  const auto words = words_of(calendars);
  throw Error(WEIR_EARGUMENT, "\"{}\" is not a calendar of CF's: {}", trimmed(text), did_you_mean(word, words, words));
}

Instant unit_of(std::string_view units, std::string_view unit) {
  const std::string word = in_small_letters(unit);
  if (const Instant* microseconds = find_word(time_units, word)) return *microseconds;
  for (const std::string_view uneven :
       {"year", "years", "yr", "month", "months", "mon", "common_year", "common_years"}) {
    require(word != uneven, WEIR_EARGUMENT, "time units \"{}\": {} have no fixed length; count in days or hours", units,
            unit);
  }
  const auto words = words_of(time_units);
  throw Error(WEIR_EARGUMENT, "time units \"{}\": \"{}\" is not a unit of time; {}", units, unit,
              did_you_mean(word, words, std::span(words).first(shown_units)));
}

std::string_view word_of(Instant unit_microseconds) {
  return std::find_if(time_units.begin(), time_units.end(),
                      [&](const auto& unit) { return unit.second == unit_microseconds; })
      ->first;
}

// The first word of a text, and what follows it.
std::pair<std::string_view, std::string_view> split_word(std::string_view text) {
  text = trimmed(text);
  const auto end = std::min(text.find_first_of(" \t\r\n"), text.size());
  return {text.substr(0, end), trimmed(text.substr(end))};
}

std::string how_far(double days) {
  return formatted("{} days from the units' reference date, and {} are the most", days, most_days);
}

}  // namespace

// Files have units that all readers understand alike. cftime, by which xarray reads, ignores "+2:00" and an hour
// without minutes; udunits knows fewer words.
TimeAxis::TimeAxis(std::string_view units, std::string_view calendar) : calendar_(calendar_of(calendar)) {
  const auto [unit, behind] = split_word(units);
  const auto [since, reference] = split_word(behind);
  require(!unit.empty() && in_small_letters(since) == "since" && !reference.empty(), WEIR_EARGUMENT,
          "time units \"{}\" are not a unit, \"since\" and a date; write them as \"hours since 1990-01-01 00:00:00\"",
          units);
  unit_microseconds_ = unit_of(units, unit);
  const auto read = read_date(calendar_, reference);
  if (const auto* why = std::get_if<std::string>(&read))
    throw Error(WEIR_EARGUMENT, "time units \"{}\": {}", units, *why);
  const auto& [date, plain] = std::get<ReadDate>(read);
  const bool knows_year_zero = calendar_ != Calendar::standard && calendar_ != Calendar::julian;
  require(
      date.year > 0 || knows_year_zero, WEIR_EARGUMENT,
      "time units \"{}\": in the calendar {}, readers of files do not agree on whether there is a year 0; count from "
      "year 1 or later",
      units, name(calendar_));
  reference_day_ = day_number(calendar_, date);
  reference_microsecond_ = date.microsecond;
  units_ = formatted("{} since {}", word_of(unit_microseconds_), plain ? std::string(reference) : weir::in_words(date));
}

// Whole units and the rest of one are multiplied apart, so that whole ones are exact however many they are. From far
// away the neighbours of a double are more than a microsecond from it. Then the double of 01:00:00 in days since the
// year 1 is several microseconds off, and what was meant is the whole second, or millisecond, that it stands for.
Instant TimeAxis::instant(double time) const {
  require(std::isfinite(time), WEIR_EARGUMENT, "the time {} is not a number; give it in \"{}\"", time, units_);
  const double unit = static_cast<double>(unit_microseconds_);
  require(std::abs(time) * unit <= static_cast<double>(farthest), WEIR_EARGUMENT, "the time {} {} is {}", time, units_,
          how_far(time * unit / static_cast<double>(microseconds_a_day)));
  const double whole = std::trunc(time);
  const Instant of_whole = static_cast<Instant>(whole) * unit_microseconds_;
  const double rest = (time - whole) * unit;  // of microseconds
  const Instant nearest = of_whole + static_cast<Instant>(std::nearbyint(rest));
  const double magnitude = std::abs(time);
  if (magnitude * unit < farthest_clear) return nearest;
  const double unclear = (std::nextafter(magnitude, HUGE_VAL) - magnitude) / 2 * unit;
  for (const Instant round : {microseconds_a_second, Instant{1'000}}) {
    const Instant below = whole_part(nearest, round) * round;
    const Instant rounded = nearest - below < round / 2 ? below : below + round;
    if (std::abs(static_cast<double>(rounded - of_whole) - rest) <= unclear) return rounded;
  }
  return nearest;
}

// The double nearest to instant / unit. `most` and `least` are its whole units and the rest, rounded; what the rest's
// rounding and the sum's have lost is added last, and decides where the sum is in the middle of two doubles.
double TimeAxis::time(Instant instant) const noexcept {
  const auto unit = static_cast<double>(unit_microseconds_);
  const auto most = static_cast<double>(instant / unit_microseconds_);
  const auto rest = static_cast<double>(instant % unit_microseconds_);
  const double least = rest / unit;
  const double lost_of_least = std::fma(-least, unit, rest) / unit;
  const double sum = most + least;
  const double taken = sum - most;
  const double lost = (most - (sum - taken)) + (least - taken);
  return sum + (lost + lost_of_least);
}

Instant TimeAxis::instant(const Date& date) const {
  require(date.year >= -farthest_year && date.year <= farthest_year, WEIR_EARGUMENT,
          "the year {} is too far from the reference date of \"{}\"", date.year, units_);
  if (const auto why = why_impossible(calendar_, date)) throw Error(WEIR_EARGUMENT, *why);
  const std::int64_t days = day_number(calendar_, date) - reference_day_;
  require(std::abs(days) <= most_days, WEIR_EARGUMENT, "{} is {}", weir::in_words(date),
          how_far(static_cast<double>(days)));
  return instant_of(date);
}

Instant TimeAxis::instant_of(const Date& date) const noexcept {
  return (day_number(calendar_, date) - reference_day_) * microseconds_a_day + date.microsecond -
         reference_microsecond_;
}

Date TimeAxis::date(Instant instant) const noexcept {
  const Instant of_day = remainder_of(instant, microseconds_a_day) + reference_microsecond_;
  Date date = date_of_day(
      calendar_, reference_day_ + whole_part(instant, microseconds_a_day) + (of_day >= microseconds_a_day ? 1 : 0));
  date.microsecond = of_day >= microseconds_a_day ? of_day - microseconds_a_day : of_day;
  return date;
}

std::string TimeAxis::in_words(Instant instant) const {
  return weir::in_words(date(instant));
}

}  // namespace weir
