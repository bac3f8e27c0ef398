# SPDX-License-Identifier: Apache-2.0
"""Compares two files of the ocean to the bit: python compare.py FILE OTHER [--from-record N]"""

import argparse
import sys

import netCDF4
import numpy as np


def bits(variable: netCDF4.Variable, first_record: int) -> bytes:
    """The values as they are in the file; of a record variable from `first_record` on, counted from 1."""
    variable.set_auto_maskandscale(False)
    is_record = any(dimension.isunlimited() for dimension in variable.get_dims())
    values = variable[first_record - 1 :] if is_record else variable[...]
    return np.asarray(values).tobytes()


def differing(one: netCDF4.Dataset, other: netCDF4.Dataset, first_record: int) -> list[str]:
    names = sorted(set(one.variables) | set(other.variables))
    return [
        name
        for name in names
        if name not in one.variables
        or name not in other.variables
        or one[name].shape != other[name].shape
        or bits(one[name], first_record) != bits(other[name], first_record)
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("other")
    parser.add_argument("--from-record", type=int, default=1)
    asked = parser.parse_args()
    with netCDF4.Dataset(asked.file) as one, netCDF4.Dataset(asked.other) as other:
        fields = [name for name, variable in one.variables.items() if variable.ndim > 1 and not name.endswith("_bnds")]
        if wrong := differing(one, other, asked.from_record):
            print(f"{asked.file} and {asked.other} differ in {', '.join(wrong)}")
            return 1
        print(f"{len(fields)} fields identical to the bit")
    return 0


if __name__ == "__main__":
    sys.exit(main())
