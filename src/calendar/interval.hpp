// SPDX-License-Identifier: Apache-2.0
// Intervals of time of a stream ("1 day", "3 months"), and where on a time axis they begin and end. Pure, Local.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "calendar/time_axis.hpp"

namespace weir {

// A length of time: a number of steps (samples), of microseconds, or of months.
struct Interval {
  enum class Unit { steps, microseconds, months };
  std::int64_t count = 0;  // at least 1
  Unit unit = Unit::steps;
  bool season = false;  // of months: seasons begin in December, March, June and September

  bool operator==(const Interval&) const = default;
};

inline constexpr std::int64_t longest_interval_years = 1'000;

// Reads "10 steps", "30 minutes", "6 hours", "1 day", "5 days", "1 month", "1 season", "2 years", in singular or
// plural, also "day" for "1 day", and "6h", "1d", "30min".
// Errors: WEIR_ECONFIG for a number below 1, more than longest_interval_years, or another unit, with the nearest one.
Interval parse_interval(std::string_view text);
// Returns an interval as the configuration writes it, and as cell_methods writes it: "6 hours", "1 month".
std::string in_words(const Interval& interval);
// Whether each interval `coarse` is certain to be at least as long as `fine`: 1 month and 31 days are not comparable
// by this, 1 month and 28 days are. Steps compare with steps only. (October 1582 of standard, which has 21 days, does
// not count.)
bool at_least_as_long(const Interval& coarse, const Interval& fine) noexcept;

// What an interval's boundaries are counted from. calendar: n seconds to n hours that divide a day from midnight; n
// months that divide a year from January; seasons from December; n years from year 0; other lengths from midnight of
// the units' reference date, or January of its year. start: all from the start of the run; of months, the day and time
// of day of the start, or the month's last day where it has no such day (31 January, 28 February, 31 March).
enum class AlignedTo { calendar, start };

// The boundaries of consecutive intervals on a time axis. An interval is (begin, end]: a sample at its end belongs to
// it, a sample at its begin to the one before.
class Boundaries {
 public:
  // Requires: `interval` is not in steps, and at most longest_interval_years long. `start`: of the first run, for
  // AlignedTo::start.
  Boundaries(const TimeAxis& axis, const Interval& interval, AlignedTo alignment, Instant start);

  // Returns the end of the interval that holds `instant`: the first boundary at it or behind it.
  Instant end_of(Instant instant) const;
  // Returns the begin of that interval: the last boundary before `instant`.
  Instant begin_of(Instant instant) const;

 private:
  Instant boundary(std::int64_t number) const;  // ascending
  std::int64_t number_at_or_after(Instant instant) const;

  TimeAxis axis_;
  Interval interval_;
  Instant origin_ = 0;             // of intervals in microseconds: boundary number 0
  std::int64_t origin_month_ = 0;  // of intervals in months: months from January of year 0 to boundary number 0
  Instant origin_in_month_ = 0;    // its day of the month, less 1, and its time of day (AlignedTo::start)
};

// Returns the end of the interval that begins at an instant; empty where there are no intervals.
inline EndOf ends_of(const std::optional<Boundaries>& intervals) {
  if (!intervals) return {};
  return [intervals](Instant begin) { return intervals->end_of(begin + 1); };
}

}  // namespace weir
