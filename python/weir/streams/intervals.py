# SPDX-License-Identifier: Apache-2.0
"""Lengths of time as Weir's configuration writes them: `1 day`, `3 months`, `10 steps`."""

import re
from dataclasses import dataclass
from typing import Final

MONTH_DAYS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
LONGEST_FEBRUARY: Final = 29
SECONDS: Final = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}
MONTHS: Final = {"month": 1, "season": 3, "year": 12}


@dataclass(frozen=True)
class Interval:
    """A number of steps, seconds or months."""

    count: int
    unit: str  # step, second, month

    def __str__(self) -> str:
        larger = {"second": SECONDS, "month": {"month": 1, "year": 12}}.get(self.unit, {self.unit: 1})
        name, length = max((each for each in larger.items() if self.count % each[1] == 0), key=lambda each: each[1])
        number = self.count // length
        return f"{number} {name}{'s' if number != 1 else ''}"

    def is_at_least(self, other: "Interval") -> bool:
        """Whether it is certain to be as long as the other, in each calendar and wherever it begins: Weir asks that of a
        split and the records in its files."""
        if self.unit == other.unit:
            return self.count >= other.count
        if self.unit == "month" and other.unit == "second":
            return fewest_days(self.count) * SECONDS["day"] >= other.count
        if self.unit == "second" and other.unit == "month":
            return self.count >= most_days(other.count) * SECONDS["day"]
        return False


def days_of(months: int, february: int) -> list[int]:
    """The days of so many months, from each month on."""
    days = [february if month == 1 else length for month, length in enumerate(MONTH_DAYS)]
    return [sum(days[(first + number) % 12] for number in range(months)) for first in range(12)]


def fewest_days(months: int) -> int:
    return min(*days_of(months, MONTH_DAYS[1]), 30 * months)


def most_days(months: int) -> int:
    return max(days_of(months, LONGEST_FEBRUARY))


def interval_of(number: float, unit: str) -> Interval | None:
    """Of a number and a unit in singular or plural; None where that is no interval."""
    name = unit.lower().removesuffix("s")
    for kind, lengths in (("second", SECONDS), ("month", MONTHS), ("step", {"step": 1})):
        count = number * lengths.get(name, 0)
        if count >= 1 and count == int(count):
            return Interval(int(count), kind)
    return None


XIOS_UNITS: Final = {
    "y": "year", "mo": "month", "d": "day", "h": "hour", "mi": "minute", "mn": "minute", "s": "second", "ts": "step"
}  # fmt: skip


def xios_interval(text: str) -> Interval | None:
    """Of XIOS's `1mo`, `6h`, `1h30mi`, `1ts`; None of what Weir cannot say: months and days together, fractions."""
    parts = re.findall(r"([\d.]+) *(ts|mo|mi|mn|y|d|h|s)(?![a-z])[ _]*", re.sub(r"(?<=[a-z])(?=\d)", " ", text.strip()))
    if not parts or re.sub(r"[\d. _]|ts|mo|mi|mn|y|d|h|s", "", text.strip()):
        return None
    found = [interval_of(float(number), XIOS_UNITS[unit]) for number, unit in parts]
    units = {each.unit for each in found if each}
    if None in found or len(units) != 1:
        return None
    return Interval(sum(each.count for each in found if each), units.pop())
