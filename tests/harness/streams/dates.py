# SPDX-License-Identifier: Apache-2.0
"""Time as the reference counts it: microseconds since the units' reference date, dates by cftime."""

import datetime
from fractions import Fraction
from functools import cached_property, lru_cache

import cftime

SECOND = 1_000_000
MINUTE, HOUR, DAY = 60 * SECOND, 3600 * SECOND, 86_400 * SECOND
UNITS = {"days": DAY, "hours": HOUR, "minutes": MINUTE, "seconds": SECOND, "milliseconds": 1000}
NAMES = {"gregorian": "standard", "365_day": "noleap", "366_day": "all_leap"}
LENGTHS = {"second": SECOND, "minute": MINUTE, "hour": HOUR, "day": DAY}
MONTHS = {"month": 1, "season": 3, "year": 12}


class Axis:
    """UNITS: as files have them, "hours since 1990-01-30 06:00:00"; CALENDAR: any of CF's words."""

    def __init__(self, units: str, calendar: str) -> None:
        unit, reference = units.split(" since ")
        self.units, self.calendar = units, NAMES.get(calendar, calendar)
        self.unit = UNITS[unit]
        self.count = f"microseconds since {reference}"

    def time(self, instant: int) -> float:
        return float(Fraction(instant, self.unit))

    @lru_cache(10_000)  # noqa: B019: an axis lives as long as its case
    def date(self, instant: int) -> cftime.datetime:
        return cftime.num2date(0, self.count, self.calendar) + datetime.timedelta(microseconds=instant)

    def instant(self, year: int, month: int, day: int, microsecond: int = 0) -> int:
        """Of a date whose day may be behind the month's last one, or left out: then of the nearest one that exists."""
        while True:
            try:
                date = cftime.datetime(year, month, day, calendar=self.calendar)
                break
            except ValueError:
                in_gap = (self.calendar, year, month) == ("standard", 1582, 10) and day < 15
                day += 1 if in_gap else -1
        zero = cftime.num2date(0, self.count, self.calendar)
        midnight = zero.replace(hour=0, minute=0, second=0, microsecond=0)
        days = date.toordinal() - midnight.toordinal()
        return days * DAY - self.of_day(zero) + microsecond

    @staticmethod
    def of_day(date: cftime.datetime) -> int:
        return (date.hour * 3600 + date.minute * 60 + date.second) * SECOND + date.microsecond

    @cached_property
    def reference(self) -> cftime.datetime:
        return self.date(0)

    def text(self, instant: int) -> str:
        date = self.date(instant)
        return f"{date.year:04}-{date.month:02}-{date.day:02} {date.hour:02}:{date.minute:02}:{date.second:02}"

    def day_of_year(self, date: cftime.datetime) -> int:
        """Of days that exist: cftime's own counts those that 1582 leaves out."""
        return date.toordinal() - cftime.datetime(date.year, 1, 1, calendar=self.calendar).toordinal() + 1

    def formatted(self, form: str, instant: int) -> str:
        date = self.date(instant)
        assert date.year >= 1, "a case with a year before 1, which cftime counts in another way"
        parts = {
            "Y": f"{date.year:04}", "m": f"{date.month:02}", "d": f"{date.day:02}", "H": f"{date.hour:02}",
            "M": f"{date.minute:02}", "S": f"{date.second:02}", "j": f"{self.day_of_year(date):03}", "%": "%",
        }
        pieces = form.split("%")
        return pieces[0] + "".join(parts[piece[0]] + piece[1:] for piece in pieces[1:])


def expanded(pattern: str, axis: Axis, instant: int) -> str:
    while "{time" in pattern:
        begin = pattern.index("{time")
        end = pattern.index("}", begin)
        form = pattern[begin + 6 : end] or "%Y%m%dT%H%M%S"
        pattern = pattern[:begin] + axis.formatted(form, instant) + pattern[end + 1 :]
    return pattern


class Boundaries:
    """Of intervals of COUNT units of UNIT, up to some instant: (begin, end] follow each other."""

    def __init__(self, axis: Axis, count: int, unit: str, align: str, start: int) -> None:
        self.axis = axis
        self.months = count * MONTHS.get(unit, 0)
        self.length = count * LENGTHS.get(unit, 0)
        self.season = unit == "season"
        reference = axis.reference
        if self.months:
            date = axis.date(start)
            if align == "start":
                self.first, self.day, self.of_day = date.year * 12 + date.month - 1, date.day, axis.of_day(date)
                return
            self.day, self.of_day = 1, 0
            if self.season:
                self.first = -1
            elif 12 % self.months == 0 or self.months % 12 == 0:
                self.first = 0
            else:
                self.first = reference.year * 12
        else:
            self.origin = start if align == "start" else -axis.of_day(reference)

    @lru_cache(10_000)  # noqa: B019: as above
    def boundary(self, number: int) -> int:
        if not self.months:
            return self.origin + number * self.length
        year, month = divmod(self.first + number * self.months, 12)
        return self.axis.instant(year, month + 1, self.day, self.of_day)

    def end_of(self, instant: int) -> int:
        """The first boundary at INSTANT or behind it."""
        return self.boundary(self.number(instant))

    def begin_of(self, instant: int) -> int:
        return self.boundary(self.number(instant) - 1)

    def number(self, instant: int) -> int:
        if not self.months:
            return -((self.origin - instant) // self.length)
        date = self.axis.date(instant)
        number = (date.year * 12 + date.month - 1 - self.first) // self.months - 1
        while self.boundary(number) < instant:
            number += 1
        return number

    def between(self, begin: int, end: int) -> list[int]:
        """Those in (BEGIN, END]."""
        found = []
        number = self.number(begin + 1)
        while self.boundary(number) <= end:
            found.append(self.boundary(number))
            number += 1
        return found
