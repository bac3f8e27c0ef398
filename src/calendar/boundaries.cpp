// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "calendar/interval.hpp"
#include "calendar/whole_division.hpp"

namespace weir {
namespace {

std::int64_t month_number(const Date& date) noexcept {
  return date.year * 12 + date.month - 1;
}

// A month that has a boundary (AlignedTo::calendar), counted from January of year 0.
std::int64_t first_month(const TimeAxis& axis, const Interval& interval) {
  if (interval.season) return -1;  // December
  if (12 % interval.count == 0 || interval.count % 12 == 0) return 0;
  return axis.date(0).year * 12;
}

}  // namespace

Boundaries::Boundaries(const TimeAxis& axis, const Interval& interval, AlignedTo alignment, Instant start)
    : axis_(axis), interval_(interval) {
  if (interval.unit == Interval::Unit::months) {
    origin_month_ = first_month(axis, interval);
    if (alignment == AlignedTo::start) {
      const Date date = axis.date(start);
      origin_month_ = month_number(date);
      origin_in_month_ = (date.day - 1) * microseconds_a_day + date.microsecond;
    }
    return;
  }
  // Any boundary may be number 0: the one nearest to the reference date leaves room for the distance to it.
  const Instant aligned = alignment == AlignedTo::start ? start : -axis.date(0).microsecond;
  origin_ = remainder_of(aligned, interval.count);
}

Instant Boundaries::end_of(Instant instant) const {
  return boundary(number_at_or_after(instant));
}

Instant Boundaries::begin_of(Instant instant) const {
  return boundary(number_at_or_after(instant) - 1);
}

Instant Boundaries::boundary(std::int64_t number) const {
  if (interval_.unit != Interval::Unit::months) return origin_ + number * interval_.count;
  const std::int64_t month = origin_month_ + number * interval_.count;
  Date date{.year = whole_part(month, 12), .month = static_cast<int>(remainder_of(month, 12)) + 1};
  const int last = days_in_month(axis_.calendar(), date.year, date.month);
  date.day = std::min(static_cast<int>(origin_in_month_ / microseconds_a_day) + 1, last);
  while (is_left_out(axis_.calendar(), date)) ++date.day;
  date.microsecond = origin_in_month_ % microseconds_a_day;
  return axis_.instant_of(date);
}

std::int64_t Boundaries::number_at_or_after(Instant instant) const {
  if (interval_.unit != Interval::Unit::months) return -whole_part(origin_ - instant, interval_.count);
  const std::int64_t month = month_number(axis_.date(instant));
  const std::int64_t number = whole_part(month - origin_month_, interval_.count);  // the last that may be before it
  return boundary(number) >= instant ? number : number + 1;
}

}  // namespace weir
