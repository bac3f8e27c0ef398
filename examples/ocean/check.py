# SPDX-License-Identifier: Apache-2.0
"""Checks a history file of the ocean: python check.py HISTORY RECORDS

It must have so many records at equal distances, hold numbers in the sea and the fill value on land, and values that an
ocean can have.
"""

import sys

import netCDF4
import numpy as np

# Of each field: the lowest and the highest value that would still be an ocean.
LIMITS = {
    "ssh": (-2.0, 2.0),
    "u": (-3.0, 3.0),
    "v": (-3.0, 3.0),
    "u_layers": (-3.0, 3.0),
    "v_layers": (-3.0, 3.0),
    "vorticity": (-1e-3, 1e-3),
    "tau_x": (-0.5, 0.5),
    "temperature": (-2.0, 31.0),
    "age": (0.0, 20000.0),
}


def faults(history: netCDF4.Dataset, records: int) -> list[str]:
    found = []
    times = history["time"][:]
    if len(times) != records or not np.allclose(np.diff(times, n=2), 0):
        found.append(f"time has {len(times)} records, not {records} at equal distances: {times}")
    sea = ~np.ma.getmaskarray(history["ssh"][0])
    if not 0.5 < sea.mean() < 0.8:
        found.append(f"{sea.mean():.0%} of the cells are sea")
    for name, (lowest, highest) in LIMITS.items():
        values = history[name][:]
        masked = np.ma.getmaskarray(values)
        if not (np.isfinite(values.compressed()).all() and lowest <= values.min() and values.max() <= highest):
            found.append(f"{name} is between {values.min()} and {values.max()}, not {lowest} and {highest}")
        if name in ("ssh", "temperature", "age") and not (masked == ~sea).all():
            found.append(f"{name} has other land than the first record of ssh")
    return found


def main() -> int:
    path, records = sys.argv[1], int(sys.argv[2])
    with netCDF4.Dataset(path) as history:
        found = faults(history, records)
        for fault in found:
            print(f"{path}: {fault}", file=sys.stderr)
        if not found:
            print(f"{path}: {records} records of {len(LIMITS)} fields are sound")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
