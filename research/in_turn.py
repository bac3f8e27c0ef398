# SPDX-License-Identifier: Apache-2.0
"""What commands share that run a program in several ways in turn (in_turn.bash): comparing the files, the table of costs."""

import statistics
from collections.abc import Iterable, Sequence
from pathlib import Path

import netCDF4


def compare(one: str, other: str, names: Iterable[str] = ()) -> None:
    """These variables (none named: all) have the same values in both files, and some."""
    with netCDF4.Dataset(one) as ours, netCDF4.Dataset(other) as theirs:
        for name in names or ours.variables:
            assert (ours[name][:] == theirs[name][:]).all() and ours[name].size > 0, (other, name)


def medians(folder: str, way: str) -> tuple[float, ...]:
    """Seconds, processor seconds, KiB of the largest rank, bytes of the file."""
    rows = [[float(word) for word in line.split()] for line in Path(folder, f"times.{way}").read_text().splitlines()]
    return tuple(statistics.median(column) for column in zip(*rows, strict=True))


def print_costs(title: str, folder: str, ways: Sequence[str]) -> None:
    """A line a way, with what it adds to the first one, which has no output."""
    print(f"{title}: seconds, added; processor seconds, added; MB of the file; MB of the largest process")
    none = medians(folder, ways[0])
    for way in ways:
        seconds, processor, kib, size = medians(folder, way)
        print(
            f"{way:22} {seconds:8.2f} {seconds - none[0]:8.2f} {processor:8.2f} {processor - none[1]:8.2f} "
            f"{size / 1e6:8.1f} {kib / 1000:8.0f}"
        )
