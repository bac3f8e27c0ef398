# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a netCDF file by the CF conventions: what compliance-checker finds, which needs no network, and
what it does not look at, of the time axis."""

import functools
import warnings
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import cftime
import netCDF4
import numpy as np
from compliance_checker.runner import CheckSuite

CONVENTIONS = "CF-1.11"
# What attributes of the model would have to say: a title, a history, that a temperature is no difference of two.
OF_THE_MODEL = ("§2.6.2 global attribute", "temperature related standard_name")


@functools.cache
def checker() -> CheckSuite:
    suite = CheckSuite()
    suite.load_all_available_checkers()
    return suite


def found_by_checker(path: Path) -> Iterator[str]:
    test = CONVENTIONS.lower().replace("-", ":")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with checker().load_dataset(str(path)) as dataset:
            results, failures = checker().run_all(dataset, [test])[test]
    yield from (f"{check}: {failure[0]!r}" for check, failure in failures.items())
    for result in results:
        yield from (f"{result.name}: {message}" for message in result.msgs)


def method_of_time(variable: netCDF4.Variable, time: str) -> str:
    """ "mean" of "time: mean (interval: 1 hour)"; "" where there is none."""
    words = getattr(variable, "cell_methods", "").split()
    return words[words.index(f"{time}:") + 1] if f"{time}:" in words[:-1] else ""


def found_of_bounds(name: str, times: np.ndarray, bounds: netCDF4.Variable) -> Iterator[str]:
    """Times lie in their intervals, which follow each other without an overlap."""
    if bounds.shape != (times.size, 2):
        yield f"{bounds.name} has shape {bounds.shape}, and {name} {times.shape}"
        return
    cells = np.asarray(bounds[:], dtype=float)
    for number, (time, (begin, end)) in enumerate(zip(times, cells, strict=True)):
        if not begin < end:
            yield f"{bounds.name}: interval {number} is [{begin}, {end}]"
        if not begin <= time <= end:
            yield f"{name}: {time} of record {number} is not in [{begin}, {end}]"
    for number, ((_, end), (begin, _)) in enumerate(pairwise(cells), 1):
        if begin < end:
            yield f"{bounds.name}: interval {number} begins at {begin}, before {end}, where the one before it ends"


def found_of_axis(file: netCDF4.Dataset, axis: netCDF4.Variable) -> Iterator[str]:
    """What compliance-checker does not look at."""
    name, attributes = axis.name, axis.ncattrs()
    wanted = {"axis": "T", "standard_name": "time"}
    for attribute, value in wanted.items():
        if getattr(axis, attribute, None) != value:
            yield f'{name}: {attribute} is not "{value}"'
    missing = [attribute for attribute in ("units", "calendar") if attribute not in attributes]
    yield from (f"{name} has no {attribute}" for attribute in missing)
    if missing:
        return
    filled = axis[:]
    if np.ma.count_masked(filled):
        yield f"{name}: records {np.flatnonzero(np.ma.getmaskarray(filled)).tolist()} have no time"
        return
    times = np.asarray(filled, dtype=float)
    try:
        cftime.num2date(np.append(times, 0.0), axis.units, calendar=axis.calendar)
    except ValueError as error:
        yield f'{name}: "{axis.units}" in the calendar {axis.calendar} has no dates: {error}'
    for number, (one, next_one) in enumerate(pairwise(times), 1):
        if not one < next_one:
            yield f"{name}: {next_one} of record {number} is not after {one}"

    bounds = getattr(axis, "bounds", None)
    if bounds is not None and bounds in file.variables:
        yield from found_of_bounds(name, times, file[bounds])
    for variable in file.variables.values():
        if name not in variable.dimensions or variable.name in (name, bounds):
            continue
        method = method_of_time(variable, name)
        if bounds is None and method not in ("", "point"):
            yield f'{variable.name}: cell_methods has "{name}: {method}", and {name} has no bounds'
        if bounds is not None and not method:
            yield f"{variable.name}: {name} has bounds, and cell_methods does not say what {variable.name} is of them"


def faults(path: Path, left_out: tuple[str, ...] = OF_THE_MODEL) -> list[str]:
    """What is wrong with a file of one time axis, in sentences, but for those that contain a text of LEFT_OUT."""
    found = list(found_by_checker(path))
    with netCDF4.Dataset(path) as file:
        coordinates = [file[name] for name in file.dimensions if name in file.variables]
        axes = [one for one in coordinates if " since " in getattr(one, "units", "")]
        if len(axes) != 1:
            found.append(f"the file has {len(axes)} time axes: {[axis.name for axis in axes]}")
        for axis in axes:
            found += found_of_axis(file, axis)
    return [sentence for sentence in found if not any(text in sentence for text in left_out)]
