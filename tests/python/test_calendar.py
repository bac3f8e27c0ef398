# SPDX-License-Identifier: Apache-2.0
# cores: 2
"""Dates and times of Weir's time axes (src/calendar), held against cftime: 10,000 random dates in each calendar, and as
many times, half of them with random fractions of their unit. And what output/conforming.py finds in files whose time
axis is not as the CF conventions want it."""

import os
import random
import re
import subprocess
import warnings
from collections.abc import Callable, Iterable
from datetime import timedelta
from pathlib import Path

import cftime
import netCDF4
import numpy as np
import pytest
from output import conforming

PROGRAM = Path(os.environ["WEIR_BUILD_DIR"]) / "tests" / "calendar_dates"
CALENDARS = ("standard", "proleptic_gregorian", "julian", "noleap", "all_leap", "360_day")
DATES, UNITS_EACH = 10_000, 20
MICROSECONDS = {
    "days": 86_400_000_000,
    "hours": 3_600_000_000,
    "minutes": 60_000_000,
    "seconds": 1_000_000,
    "milliseconds": 1000,
}
REFERENCES = (
    "1990-01-01",
    "0001-01-01 00:00:00",
    "1850-07-16T12:30:00Z",
    "0004-03-01 12:00:00",
    "1582-10-15 03:00",
    "1900-03-01 00:00:00 +05:30",
    "1979-12-30 23:59:59.5 -01:00",
    "2300-02-28 23:59:59.999999",
)


def ask(lines: Iterable[str]) -> list[str]:
    """The answers of tests/calendar/dates.cpp."""
    if not PROGRAM.exists():
        pytest.skip("calendar_dates is not built")
    text = "".join(f"{line}\n" for line in lines)
    done = subprocess.run([PROGRAM], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def last_day(calendar: str, year: int, month: int) -> int:
    """The last day of a month, by cftime."""
    return cftime.datetime(year, month, 1, calendar=calendar, has_year_zero=True).daysinmonth


def draw_date(chance: random.Random, calendar: str) -> cftime.datetime:
    """Most are dates of models, some are thousands of years away, some are next to a change of month or calendar."""
    known_years = (0, 4, 1582, 1600, 1900, 2000)
    year = chance.choice((chance.randint(1850, 2100), chance.randint(-4000, 9000), chance.choice(known_years)))
    month = chance.randint(1, 12)
    last = last_day(calendar, year, month)
    day = chance.choice((1, last, chance.randint(1, last)))
    if calendar == "standard" and (year, month) == (1582, 10):
        day = chance.choice((1, 4, 15, 31))
    any_time = tuple(map(chance.randrange, (24, 60, 60, 1_000_000)))
    time = chance.choice(((0, 0, 0, 0), (chance.randint(0, 23), 0, 0, 0), any_time))
    return cftime.datetime(year, month, day, *time, calendar=calendar, has_year_zero=True)


def in_words(date: cftime.datetime) -> str:
    sign, year = ("-" if date.year < 0 else ""), abs(date.year)
    fraction = f".{date.microsecond:06}".rstrip("0").rstrip(".")
    return f"{sign}{year:04}-{date.month:02}-{date.day:02} {date.hour:02}:{date.minute:02}:{date.second:02}{fraction}"


def from_words(text: str, calendar: str) -> cftime.datetime:
    written = re.fullmatch(r"(-?)(\d+)-(\d+)-(\d+) (\d+):(\d+):(\d+)(?:\.(\d+))?", text)
    sign, *numbers, fraction = written.groups(default="")
    year, *rest = map(int, numbers)
    microsecond = int(fraction.ljust(6, "0"))
    return cftime.datetime(-year if sign else year, *rest, microsecond, calendar=calendar, has_year_zero=True)


@pytest.fixture(autouse=True)
def year_zero_is_meant() -> Iterable[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cftime.CFWarning)
        yield


@pytest.mark.parametrize("calendar", CALENDARS)
def test_dates_have_the_times_of_cftime_and_times_its_dates(calendar: str) -> None:
    chance = random.Random(calendar)
    drawn = []
    for _ in range(UNITS_EACH):
        unit = chance.choice(list(MICROSECONDS))
        units = f"{unit} since {chance.choice(REFERENCES)}"
        drawn.append((unit, units, [draw_date(chance, calendar) for _ in range(DATES // UNITS_EACH)]))

    answers = iter(ask(f"{units}\t{calendar}\t{in_words(date)}" for _, units, dates in drawn for date in dates))
    asked, expected, spacings = [], [], []
    for unit, units, dates in drawn:
        times = np.asarray(cftime.date2num(dates, units, calendar=calendar, has_year_zero=True), dtype=float)
        told = np.array([float(next(answers)) for _ in dates])
        different = np.flatnonzero(told != times)
        assert not different.size, [(units, dates[i], told[i], times[i]) for i in different[:5]]

        # Fractions that no step of a model has, at the same distances. Where doubles are further apart than a
        # microsecond, a time may become a whole second that is up to half that distance from cftime's.
        times[::2] += np.array([chance.random() for _ in times[::2]])
        asked += [f"{units}\t{calendar}\t={time!r}" for time in times.tolist()]
        expected += list(cftime.num2date(times, units, calendar=calendar, has_year_zero=True))
        spacings += (np.spacing(np.abs(times)) * MICROSECONDS[unit]).tolist()

    for line, date, told, spacing in zip(asked, expected, ask(asked), spacings, strict=True):
        apart = abs(from_words(told, calendar) - date) / timedelta(microseconds=1) if told != in_words(date) else 0
        assert apart <= 1 + spacing / 2, (line, in_words(date), told)


@pytest.mark.parametrize("calendar", CALENDARS)
def test_a_date_that_cftime_refuses_is_refused(calendar: str) -> None:
    februaries = ("1990-02-28", "1990-02-29", "1990-02-30", "1992-02-29", "1900-02-29", "1900-02-30")
    for day in (*februaries, "1990-01-31", "1990-04-31", "1582-10-10", "1990-13-01"):
        try:
            exists = bool(cftime.datetime(*map(int, day.split("-")), calendar=calendar))
        except ValueError:
            exists = False
        line = f"days since 1990-01-01\t{calendar}\t{day}\n"
        done = subprocess.run([PROGRAM], input=line, capture_output=True, text=True, check=False)
        assert (done.returncode == 0) == exists, (day, done.stderr)


@pytest.mark.parametrize("word", ["days", "Hour", "hrs", "mins", "sec", "millisecs", "usec"])
def test_the_units_of_files_are_read_by_cftime_as_they_were_meant(word: str) -> None:
    references = ("1990", "1990-02", "1-2-3", "1990-01-02 6", "1990-1-2T6:30", "1990-01-02 06:30:15.25Z")
    zones = ("UTC", "ut", "+2:00", "-2:30", "2:00", "+05", "-230", "+0530")
    written = [f"{word} since {date}" for date in (*references, *(f"1990-01-02 06:30 {zone}" for zone in zones))]
    units = ask(f"{one}\tnoleap\t" for one in written)
    begins = ask(f"{one}\tnoleap\t=7" for one in written)
    for one, told, begin in zip(written, units, begins, strict=True):
        assert in_words(cftime.num2date(7, told, calendar="noleap")) == begin, (one, told)


def write(path: Path, kind: str) -> None:
    """A file of daily means, or of instants, as CF wants it."""
    means = kind == "means"
    with netCDF4.Dataset(path, "w", format="NETCDF3_CLASSIC") as file:
        file.Conventions = conforming.CONVENTIONS
        for name, length in (("time", None), ("bnds", 2), ("lat", 3)):
            file.createDimension(name, length)
        time, lat = file.createVariable("time", "f8", ("time",)), file.createVariable("lat", "f8", ("lat",))
        sst = file.createVariable("sst", "f8", ("time", "lat"))
        time.setncatts({"units": "hours since 1990-01-01", "calendar": "noleap", "standard_name": "time", "axis": "T"})
        lat.setncatts({"units": "degrees_north", "standard_name": "latitude"})
        sst.setncatts({"units": "K", "standard_name": "sea_surface_temperature", "cell_methods": "time: point"})
        if means:
            time.bounds, sst.cell_methods = "time_bnds", "time: mean (interval: 1 hour)"
            file.createVariable("time_bnds", "f8", ("time", "bnds"))[:] = [[0, 24], [24, 48]]
        time[:], lat[:], sst[:] = [12, 36], [0, 1, 2], 280


def spoil(name: str, attribute: str, value: str | None) -> Callable[[netCDF4.Dataset], None]:
    def change(file: netCDF4.Dataset) -> None:
        if value is None:
            file[name].delncattr(attribute)
        else:
            file[name].setncattr(attribute, value)

    return change


def fill(name: str, values: object) -> Callable[[netCDF4.Dataset], None]:
    return lambda file: file[name].__setitem__(slice(None), values)


@pytest.mark.parametrize("kind", ["means", "instants"])
def test_a_file_that_is_as_cf_wants_it_has_no_faults(tmp_path: Path, kind: str) -> None:
    write(tmp_path / "file.nc", kind)
    assert conforming.faults(tmp_path / "file.nc") == []


# What is done to a file of means, and what must be found.
@pytest.mark.parametrize("change, found", [
    (spoil("time", "bounds", None), 'sst: cell_methods has "time: mean", and time has no bounds'),
    (spoil("time", "bounds", "nothing"), "bounds"),
    (spoil("time", "units", "hours snce 1990-01-01"), "the file has 0 time axes"),
    (spoil("time", "units", "hours since 1990-02-30"), '"hours since 1990-02-30" in the calendar noleap has no dates'),
    (spoil("time", "units", "hrs since 1990-01-01"), "not recognized by UDUNITS"),
    (spoil("time", "calendar", None), "time has no calendar"),
    (spoil("time", "calendar", "no_leap"), "nonstandard calendar"),
    (spoil("time", "axis", None), 'time: axis is not "T"'),
    (spoil("time", "standard_name", None), 'time: standard_name is not "time"'),
    (spoil("time_bnds", "units", "days since 1990-01-01"), "non matching boundary"),
    (spoil("sst", "cell_methods", None), "sst: time has bounds, and cell_methods does not say"),
    (spoil("sst", "cell_methods", "time: averaged"), "invalid method: averaged"),
    (spoil("sst", "cell_methods", "time: mean (interval: 1 hower)"), '"hower" is not parsable'),
    (spoil("sst", "units", None), "units attribute is required for sst"),
    (fill("time", [12, 12]), "time: 12.0 of record 1 is not after 12.0"),
    (fill("time", [12, netCDF4.default_fillvals["f8"]]), "records [1] have no time"),
    (fill("time", [12, 49]), "time: 49.0 of record 1 is not in [24.0, 48.0]"),
    (fill("time_bnds", [[0, 25], [24, 48]]), "time_bnds: interval 1 begins at 24.0, before 25.0"),
    (fill("time_bnds", [[24, 0], [24, 48]]), "time_bnds: interval 0 is [24.0, 0.0]"),
])  # fmt: skip
def test_a_time_axis_that_is_not_as_cf_wants_it_is_found(
    tmp_path: Path, change: Callable[[netCDF4.Dataset], None], found: str
) -> None:
    path = tmp_path / "means.nc"
    write(path, "means")
    with netCDF4.Dataset(path, "a") as file:
        change(file)
    faults = conforming.faults(path)
    assert any(found in fault for fault in faults), faults
