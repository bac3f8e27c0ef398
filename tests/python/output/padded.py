# SPDX-License-Identifier: Apache-2.0
"""Classic files whose variables do not end at multiples of four bytes, one for each of CASES: padded.py FOLDER.
netCDF4-python makes the same by define() and put() on one rank."""

import itertools
import sys
from typing import Any

import numpy as np

KINDS = {"bytes": "i1", "text": "S1", "shorts": "i2", "own": "i2", "ints": "i4", "unput": "i2"}
OWN_FILL = -300
RECORDS = 3
FORMATS = ["NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA"]
CASES = list(itertools.product(FORMATS, ["fill", "nofill"], [0, 1, 6]))  # and how many variables have records


def define(file: Any, columns: int, record_variables: int) -> list[str]:
    """Names of what is then put."""
    file.createDimension("time", None)
    file.createDimension("x", columns)
    for name, kind in KINDS.items():
        file.createVariable(name, kind, ("x",), **({"fill_value": OWN_FILL} if name == "own" else {}))
    names = [f"record_{name}" for name in KINDS][:record_variables]
    for name in names:
        own = {"fill_value": OWN_FILL} if name == "record_own" else {}
        file.createVariable(name, KINDS[name.removeprefix("record_")], ("time", "x"), **own)
    return [name for name in [*KINDS, *names] if not name.endswith("unput")]


def values(name: str, record: int, columns: int) -> np.ndarray:
    numbers = np.arange(columns) + 65 + record
    return numbers.astype("u1").view("S1") if name.endswith("text") else numbers.astype(KINDS[name.removeprefix("record_")])


def put(file: Any, names: list[str], columns: int, part: slice) -> None:
    for name in names:
        if not name.startswith("record_"):
            file[name][part] = values(name, 0, columns)[part]
    for record in range(RECORDS):
        for name in names:
            if name.startswith("record_") and (name != "record_shorts" or record != 1):  # that record is left out
                file[name][record, part] = values(name, record, columns)[part]


def main(folder: str) -> None:
    import weir
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    columns = 2 * comm.size + 1
    part = slice(2 * comm.rank, 2 * comm.rank + (3 if comm.rank == comm.size - 1 else 2))
    for format, fill, record_variables in CASES:
        with weir.Dataset(f"{folder}/{format}.{fill}.{record_variables}", "w", format=format, comm=comm) as file:
            if fill == "nofill":
                file.set_fill_off()
            put(file, define(file, columns, record_variables), columns, part)
    sys.stdout.write("well\n")


if __name__ == "__main__":
    main(sys.argv[1])
